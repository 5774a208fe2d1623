/**
 * Checks that docs/reference/ports.md matches the ports of the core and the suites of the testkit. `--write` writes the
 * page.
 */
import { generate } from "./Generated.ts"
import { renderPortsPage } from "./ports/PortsPage.ts"
import { readFiles } from "./Repository.ts"

generate("docs/reference/ports.md", renderPortsPage(readFiles()))
