/** The frameworks of the examples: the packages that an empty project installs, and its files and commands. */

export interface FrameworkTestCase {
  /** The versions of packages from npm. */
  readonly packages: Readonly<Record<string, string>>
  /** The files of `examples/frameworks`, by their paths in the project. */
  readonly files: Readonly<Record<string, string>>
  /** The additional project files that the framework needs. */
  readonly own?: Readonly<Record<string, string>>
  /** Without a `build` command, the TypeScript files are compiled to `out`. */
  readonly build?: ReadonlyArray<string>
  readonly start: readonly [string, ...ReadonlyArray<string>]
  /** The path and the response text of a route beside the service. */
  readonly yours?: readonly [path: string, text: string]
  /** The source file that the test edits while the application runs, to cause a hot reload as in `next dev`. */
  readonly reloads?: string
  /** A route of the application that must refuse a form that another site submits. */
  readonly refuses?: string
  /** Text to replace in copied examples. */
  readonly edits?: Readonly<Record<string, readonly [text: string, by: string]>>
  /** True if the test puts nginx in front of the application, and the application trusts nginx. */
  readonly isProxied?: boolean
  /** Packages of the service that are installed in addition to `partner-commentary`. */
  readonly further?: ReadonlyArray<string>
}

const plain = (
  name: string,
  packages: FrameworkTestCase["packages"],
  more: Partial<FrameworkTestCase> = {}
): FrameworkTestCase => ({
  packages,
  files: { [`src/${name}.ts`]: `${name}.ts`, "src/pc.ts": "pc.ts" },
  start: [process.execPath, `out/${name}.js`],
  yours: ["/yours", "Your application."],
  ...more
})

/** Bun's npm package for this platform contains Bun's program. */
const bun = `@oven/bun-${process.platform}-${process.arch}`

/**
 * The `tsconfig.json` that `create-next-app` writes. Without this file, Next.js 15 chooses a module resolution that
 * does not support exports.
 */
const nextConfig = {
  compilerOptions: {
    target: "ES2017",
    lib: ["dom", "dom.iterable", "esnext"],
    strict: true,
    noEmit: true,
    module: "esnext",
    moduleResolution: "bundler",
    jsx: "preserve",
    skipLibCheck: true
  },
  include: ["next-env.d.ts", "**/*.ts", "**/*.tsx"],
  exclude: ["node_modules"]
}

const next = (
  packages: FrameworkTestCase["packages"],
  command: ReadonlyArray<string>,
  more: Partial<FrameworkTestCase>
): FrameworkTestCase => ({
  packages: { react: "19.3.1", "react-dom": "19.3.1", "@types/react": "19.3.0", typescript: "5.9.3", ...packages },
  files: {
    "commentary.ts": "nextjs/commentary.ts",
    "instrumentation.ts": "nextjs/instrumentation.ts",
    "app/commentary/[[...path]]/route.ts": "nextjs/route.ts"
  },
  own: {
    "tsconfig.json": JSON.stringify(nextConfig),
    "app/layout.tsx": `export default ({ children }: { children: React.ReactNode }) => <html><body>{children}</body></html>\n`,
    "app/yours/page.tsx": `export default () => <p>Your application.</p>\n`
  },
  start: ["node_modules/.bin/next", ...command],
  yours: ["/yours", "Your application."],
  ...more
})

/** The framework's build evaluates the modules of routes, so the build also needs the service's secret. */
const built = ["env", "COMMENTARY_SECRET=any text of 32 characters or more"]
const nextBuilt = { build: built.concat("node_modules/.bin/next", "build") }

/** Adds the proxy's address to the example's options. */
const proxied = {
  isProxied: true,
  edits: { "commentary.ts": ["database:", 'trustedProxies: ["127.0.0.1"],\n  database:'] as const }
}

const reloading = { reloads: "commentary.ts" }

const reactRouter: FrameworkTestCase = {
  packages: {
    "@react-router/dev": "8.4.0",
    "@react-router/node": "8.4.0",
    "@react-router/serve": "8.4.0",
    react: "19.3.1",
    "react-dom": "19.3.1",
    "react-router": "8.4.0",
    vite: "8.3.8"
  },
  files: {
    "app/pc.ts": "pc.ts",
    "app/pc.server.ts": "remix/pc.server.ts",
    "app/routes/commentary.ts": "remix/commentary.ts"
  },
  own: {
    "vite.config.js": `import { reactRouter } from "@react-router/dev/vite"\nexport default { plugins: [reactRouter()] }\n`,
    "app/root.tsx": `import { Outlet } from "react-router"\nexport default () => <html><body><Outlet /></body></html>\n`,
    "app/routes.ts": `import { route } from "@react-router/dev/routes"
export default [route("commentary/*", "routes/commentary.ts"), route("yours", "routes/yours.ts")]\n`,
    "app/routes/yours.ts": `export const loader = () => new Response("Your application.")\n`
  },
  build: ["node_modules/.bin/react-router", "build"],
  start: ["node_modules/.bin/react-router-serve", "build/server/index.js"]
}

const svelteKit: FrameworkTestCase = {
  packages: {
    "@sveltejs/adapter-node": "6.0.1",
    "@sveltejs/kit": "3.2.0",
    "@sveltejs/vite-plugin-svelte": "7.3.1",
    svelte: "5.57.3",
    vite: "8.3.8"
  },
  files: {
    "src/pc.ts": "pc.ts",
    "src/hooks.server.ts": "sveltekit/hooks.server.ts",
    "src/routes/commentary/[...path]/+server.ts": "sveltekit/+server.ts",
    "vite.config.ts": "sveltekit/vite.config.ts"
  },
  own: {
    "src/app.html": "<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>\n",
    "src/routes/yours/+server.ts": `const answer = () => new Response("Your application.")
export { answer as GET, answer as POST }\n`
  },
  build: built.concat("node_modules/.bin/vite", "build"),
  start: [process.execPath, "build"],
  refuses: "/yours"
}

export const frameworkTestCases: Readonly<Record<string, FrameworkTestCase>> = {
  "Express 5": plain("express", { express: "5.3.0", "@types/express": "5.0.6" }),
  "Express 4": plain("express", { express: "^4.22.0", "@types/express": "^4.17.0" }),
  Fastify: plain("fastify", { fastify: "5.12.8" }),
  Hono: plain("hono", { hono: "4.13.19", "@hono/node-server": "2.1.8" }),
  "Hono on Bun": plain(
    "bun",
    { hono: "4.13.19", [bun]: "1.4.5" },
    { start: [`node_modules/${bun}/bin/bun`, "out/bun.js"] }
  ),
  h3: plain("h3", { h3: "2.0.8" }),
  Koa: plain("koa", { koa: "3.3.0", "@types/koa": "3.0.3" }),
  NestJS: plain(
    "nestjs",
    {
      "@nestjs/common": "12.5.1",
      "@nestjs/core": "12.5.1",
      "@nestjs/platform-express": "12.5.1",
      rxjs: "7.8.2",
      "reflect-metadata": "0.2.2"
    },
    { yours: ["/yours", '"statusCode":404'] }
  ),
  "node:http": plain("node-http", {}),
  "React Router": reactRouter,
  SvelteKit: svelteKit,
  Effect: plain("effect", { "@effect/platform-node": "4.1.0" }, { further: ["@partner-commentary/server"] }),
  "Next.js 15": next({ next: "15.5.29" }, ["start"], nextBuilt),
  "Next.js 16": next({ next: "16.4.6" }, ["start"], nextBuilt),
  "Next.js 16 behind nginx": next({ next: "16.4.6" }, ["start"], { ...nextBuilt, ...proxied }),
  "Next.js 15 in development": next({ next: "15.5.29" }, ["dev"], reloading),
  "Next.js 16 in development": next({ next: "16.4.6" }, ["dev"], reloading)
}
