/**
 * Defines the authentication schemes of the API description. A middleware names its scheme in the property `scheme`.
 */

export interface SecurityScheme {
  /** The key of the scheme in `components.securitySchemes`. */
  readonly name: string
  readonly scheme:
    | { readonly type: "apiKey"; readonly in: "header"; readonly name: string; readonly description: string }
    | { readonly type: "http"; readonly scheme: "bearer"; readonly bearerFormat: "JWT"; readonly description: string }
}

export const apiKeyScheme: SecurityScheme = {
  name: "ApiKey",
  scheme: {
    type: "apiKey",
    in: "header",
    name: "X-Api-Key",
    description:
      "A key of your organization: `pk_live_…` for production, `pk_test_…` for the test environment, which has separate data. Each key has scopes. Keep keys on your servers, and never put them into a browser, an app or a repository."
  }
}

export const dashboardTokenScheme: SecurityScheme = {
  name: "DashboardToken",
  scheme: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "A token of the partner dashboard's identity provider, for managing API keys: `Authorization: Bearer <JWT>`. Operations that require this token do not accept API keys."
  }
}
