/** The hash changes when the fields of a view that has an entity tag change. Generated: npm run describe. */
export const viewFieldsHash = "f1e8a900"
