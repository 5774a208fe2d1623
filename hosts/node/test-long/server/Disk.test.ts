/**
 * Tests SQLite on a real file system that becomes full or read-only. Each service has its own mount namespace with an
 * ext4 image. The tests are skipped if root access or loop devices are missing.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { expect, it, type TestContext } from "vitest"
import * as Partner from "../../test/support/Partner.ts"
import * as Process from "../../test/support/Process.ts"

const canMount = () => {
  const probe = "modprobe loop 2>/dev/null; test -e /dev/loop-control && command -v mkfs.ext4 nsenter losetup"
  return process.getuid?.() === 0 && spawnSync("unshare", ["-m", "sh", "-c", probe]).status === 0
}

/**
 * Creates a folder with an image of an ext4 file system. `serve` starts a service that stores its data on the ext4 file
 * system.
 */
const disk = async (context: TestContext, megabytes: number) => {
  context.skip(!canMount(), "needs root, unshare and loop devices")
  const cwd = await Process.makeWorkingFolder(context)
  const image = join(cwd, "image")
  writeFileSync(image, "")
  execFileSync("truncate", ["-s", `${megabytes}M`, image])
  execFileSync("mkfs.ext4", ["-q", "-m", "0", image])
  await mkdir(join(cwd, "data"))
  const mounted = `exec unshare -m sh -c 'mount -o loop image data && exec "$@"' sh "$@"`
  const serve = () => Process.startServiceProcess(cwd, ["serve"], {}, mounted)
  // `nsenter` starts in the root folder of the namespace.
  const inside = ({ pid }: Process.RunningService, script: string) =>
    spawnSync("nsenter", ["-t", String(pid), "-m", "sh", "-c", `cd ${cwd} && ${script}`])
  return { image, inside, serve }
}

/** Submits topics, and keeps the ids of the topics that the service acknowledged. */
const submitter = (service: Process.RunningService) => {
  const { key, persona } = Partner.readDemoCredentials(service)
  const kept: Array<string> = []
  const submit = async (root: string) => {
    const content = `Who wins the derby? ${Math.random()} ${"x".repeat(300)}`
    const { body, status } = await Partner.callApi(root, key, "/topics", { content, persona_ids: [persona.id] })
    if (status === 201) kept.push(body.data.topic_id)
    return status
  }
  const allPresent = async (root: string) => {
    for (const id of kept) expect((await Partner.callApi(root, key, `/topics/${id}/status`)).status, id).toBe(200)
  }
  return { allPresent, kept, submit }
}

const ready = async ({ apiRoot }: Process.RunningService, status: number) => {
  const begun = performance.now()
  const answer = await Process.pollUntil(
    () => fetch(`${apiRoot}/readyz`),
    (response) => response.status === status
  )
  const { data } = (await answer.json()) as { readonly data: { readonly reason?: string } }
  return { seconds: (performance.now() - begun) / 1000, reason: data.reason ?? "" }
}

it("/readyz reports a full disk within seconds, and every acknowledged topic still exists when the disk has space again", async (context) => {
  const { inside, serve } = await disk(context, 16)
  const service = await serve()
  const { allPresent, kept, submit } = submitter(service)
  for (let count = 0; count < 10; count++) expect(await submit(service.apiRoot)).toBe(201)

  inside(service, "dd if=/dev/zero of=data/filling bs=4096 2>/dev/null; sync")
  let refused = 0
  for (let count = 0; count < 60; count++) if ((await submit(service.apiRoot)) !== 201) refused++
  expect(refused).toBeGreaterThan(0)
  const full = await ready(service, 503)
  expect(full.seconds).toBeLessThan(10)
  expect(full.reason).toMatch(/disk is full/)

  inside(service, "rm data/filling; sync")
  expect((await ready(service, 200)).seconds).toBeLessThan(10)
  expect(await submit(service.apiRoot)).toBe(201)
  await allPresent(service.apiRoot)
  expect((await service.stop()).code).toBe(0)
  const next = await serve()
  await allPresent(next.apiRoot)
  expect(kept.length).toBeGreaterThan(10)
  await next.stop()
})

it("/readyz reports a read-only disk within seconds, and after a restart on the repaired disk every acknowledged topic still exists", async (context) => {
  const { image, inside, serve } = await disk(context, 32)
  const service = await serve()
  const { allPresent, kept, submit } = submitter(service)
  for (let count = 0; count < 20; count++) expect(await submit(service.apiRoot)).toBe(201)

  // Makes the disk read-only, as ext4 does after a device error. The system refuses a plain remount while the service
  // has the file open for writing.
  expect(inside(service, "mount -o remount,abort data").status).toBe(0)
  const readOnly = await ready(service, 503)
  expect(readOnly.seconds).toBeLessThan(10)
  expect(readOnly.reason).toMatch(/read-only|disk fails/)
  expect(await submit(service.apiRoot)).toBe(500)
  await service.stop()

  expect(spawnSync("e2fsck", ["-fy", image]).status).toBeLessThanOrEqual(1)
  const next = await serve()
  await ready(next, 200)
  await allPresent(next.apiRoot)
  expect(await submit(next.apiRoot)).toBe(201)
  expect(kept).toHaveLength(21)
  await next.stop()
})
