/** Changes when the fields of the views that have an entity tag change. Generated: npm run describe. */
export const edition = "55a28601"
