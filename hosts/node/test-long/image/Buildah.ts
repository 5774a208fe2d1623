/**
 * Debian's buildah builds images and runs their processes without a daemon. buildah runs as root and uses the machine's
 * network. No image registry is needed: debootstrap creates a Debian base image, and a second base adds Node and npm.
 * The two base images replace the official images that deploy/Dockerfile names. Debian's files stay in the temporary
 * folder for the next run.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { mkdir, readdir, readFile, readlink, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

const kept = join(tmpdir(), "partner-commentary-debian-bookworm.tar")

export const runMachineCommand = async (command: string, ...words: ReadonlyArray<string>): Promise<string> => {
  try {
    return (await promisify(execFile)(command, words, { maxBuffer: 1 << 26 })).stdout.trim()
  } catch (error) {
    const { message, stderr, stdout } = error as Error & { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`${command} failed: ${message.slice(0, 500)}\n${`${stdout}${stderr}`.slice(-4000)}`)
  }
}

/** Paths of the files that Debian's slim images omit. */
const unwanted = ["var/cache/apt/*", "var/lib/apt/lists/*", "usr/share/doc/*", "usr/share/man/*", "usr/share/locale/*"]

const debian = async (folder: string): Promise<string> => {
  if (existsSync(kept)) return kept
  const files = join(folder, "debian")
  await runMachineCommand("debootstrap", "--variant=minbase", "bookworm", files)
  const own = join(folder, "debian.tar")
  await runMachineCommand("tar", "-c", "-f", own, "-C", files, ...unwanted.map((path) => `--exclude=./${path}`), ".")
  await rm(files, { recursive: true })
  await rename(own, kept)
  return kept
}

export interface Buildah {
  /** Builds and tags an image from the Dockerfile. The given folder is the build context. */
  readonly build: (context: string, dockerfile: string, tag: string) => Promise<void>
  /** Returns the size of the image as text, such as `211 MB`. */
  readonly size: (tag: string) => Promise<string>
  /** Creates a container, and returns the container's name and the folder of its files. */
  readonly container: (tag: string) => Promise<{ readonly name: string; readonly files: string }>
  /** Returns the image's user, working directory, variables, entry point and command. */
  readonly configuration: (tag: string) => Promise<ContainerImageConfiguration>
  /** Runs a command in a container as the image's user. A folder of the machine becomes the container's data folder. */
  readonly start: (container: string, command: ReadonlyArray<string>, options: ContainerOptions) => RunningContainer
}

export interface ContainerImageConfiguration {
  readonly User: string
  readonly WorkingDir: string
  readonly Env: ReadonlyArray<string>
  readonly Entrypoint: ReadonlyArray<string>
  readonly Cmd: ReadonlyArray<string>
}

export interface ContainerOptions {
  readonly data: string
  readonly variables: Readonly<Record<string, string>>
}

export interface RunningContainer {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  readonly ended: Promise<number | null>
}

/** Prepares buildah, which stores all its data below the folder. */
export const makeBuildah = async (folder: string): Promise<Buildah> => {
  const common = ["--root", join(folder, "storage"), "--runroot", join(folder, "run"), "--storage-driver", "vfs"]
  const buildah = (...words: ReadonlyArray<string>) => runMachineCommand("buildah", ...common, ...words)
  await mkdir(folder, { recursive: true })

  const base = await buildah("from", "scratch")
  await buildah("add", "--quiet", base, await debian(folder), "/")
  await buildah("config", "--env", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", base)
  await buildah("commit", "--quiet", base, "localhost/debian")
  const npm = dirname(dirname(realpathSync(await runMachineCommand("which", "npm"))))
  await buildah("copy", "--quiet", base, process.execPath, "/usr/local/bin/node")
  await buildah("copy", "--quiet", base, npm, "/usr/local/lib/node_modules/npm")
  await buildah(
    "run",
    "--isolation",
    "chroot",
    base,
    "ln",
    "-s",
    "../lib/node_modules/npm/bin/npm-cli.js",
    "/usr/local/bin/npm"
  )
  await buildah("commit", "--quiet", "--rm", base, "localhost/node")

  const npmrc = join(folder, "npmrc")
  const cache = await runMachineCommand("npm", "config", "get", "cache")
  await mkdir(cache, { recursive: true })
  const registry = await runMachineCommand("npm", "config", "get", "registry")
  await writeFile(npmrc, `registry=${registry}\ncache=/var/cache/npm\nprefer-offline=true\n`)

  return {
    build: async (context, dockerfile, tag) => {
      const bases = ["--build-arg", "BUILD_BASE=localhost/node", "--build-arg", "BASE=localhost/debian"]
      // During the build, npm uses the machine's npm cache and npm configuration, which do not become part of the
      // image.
      const volumes = ["--volume", `${cache}:/var/cache/npm`, "--volume", `${npmrc}:/usr/local/etc/npmrc:ro`]
      const words = ["--isolation", "chroot", "--layers=false", "--pull-never", ...bases, ...volumes]
      await buildah("bud", "--quiet", ...words, "--file", dockerfile, "--tag", tag, context)
    },
    size: (tag) => buildah("images", "--format", "{{.Size}}", tag),
    container: async (tag) => {
      const name = await buildah("from", "--pull-never", tag)
      return { name, files: await buildah("mount", name) }
    },
    configuration: async (tag) => JSON.parse(await buildah("inspect", "--type", "image", tag)).OCIv1.config,
    start: (container, command, { data, variables }) => {
      const environment = Object.entries(variables).flatMap(([name, value]) => ["--env", `${name}=${value}`])
      const volume = ["--volume", `${data}:/var/lib/partner-commentary`]
      const words = ["run", "--isolation", "chroot", ...volume, ...environment, container, "--", ...command]
      const child = spawn("buildah", [...common, ...words], { stdio: ["ignore", "pipe", "pipe"] })
      let stdout = ""
      let stderr = ""
      child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text))
      child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text))
      const ended = new Promise<number | null>((resolve) => child.on("close", (code) => resolve(code)))
      return { child, ended, stdout: () => stdout, stderr: () => stderr }
    }
  }
}

/**
 * Returns the service's process among the processes that a container's command started, or undefined if no such process
 * exists.
 */
export const findServiceProcess = async ({ child }: RunningContainer): Promise<number | undefined> => {
  const parents = new Map<number, number>()
  for (const entry of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${entry}/stat`, "utf8").catch(() => "")
    parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]))
  }
  const isBelow = (pid: number): boolean =>
    pid === child.pid || (parents.has(pid) && pid > 1 && isBelow(parents.get(pid) ?? 0))
  for (const pid of parents.keys()) {
    if (pid === child.pid || !isBelow(pid)) continue
    const program = await readlink(`/proc/${pid}/exe`).catch(() => "")
    if (program.endsWith("/node")) return pid
  }
  return undefined
}
