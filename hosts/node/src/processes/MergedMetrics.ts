/**
 * Merges the metrics of several processes, in Prometheus's text format. Counters, histograms and memory gauges are
 * summed. For other gauges the merged value is the maximum or the minimum. Gauges that are read from the database are
 * the same in all processes.
 */
type Aggregate = (one: number, other: number) => number

const sum: Aggregate = (one, other) => one + other

/**
 * A gauge without an entry is merged to the maximum of all processes. The heap size is also a maximum, because each
 * process has a separate heap limit. A sum would hide a process that is near its limit.
 */
const gauges: Readonly<Record<string, Aggregate>> = {
  process_resident_memory_bytes: sum,
  nodejs_external_memory_bytes: sum,
  process_start_time_seconds: Math.min,
  partner_commentary_database_up: Math.min
}

interface Family {
  readonly type: string
  /** The `# HELP` and `# TYPE` lines of the metric. */
  readonly head: ReadonlyArray<string>
  /** The metric's values by name and labels. */
  readonly values: ReadonlyMap<string, number>
}

export type Metrics = ReadonlyMap<string, Family>

export const parse = (text: string): Metrics => {
  const families = new Map<string, Family & { head: Array<string>; values: Map<string, number> }>()
  let head: Array<string> = []
  let values = new Map<string, number>()
  for (const line of text.split("\n")) {
    if (line.startsWith("# HELP ")) head = [line]
    else if (line.startsWith("# TYPE ")) {
      const [, , name = "", type = ""] = line.split(" ")
      values = new Map()
      families.set(name, { type, head: [...head, line], values })
      head = []
    } else if (line !== "") {
      // Labels may contain spaces, but values contain none.
      const end = line.lastIndexOf(" ")
      values.set(line.slice(0, end), Number(line.slice(end + 1)))
    }
  }
  return families
}

const aggregateOf = (name: string, { type }: Family): Aggregate => (type === "gauge" ? (gauges[name] ?? Math.max) : sum)

export const merge = (all: ReadonlyArray<Metrics>): Metrics => {
  const merged = new Map<string, Family & { values: Map<string, number> }>()
  for (const [name, family] of all.flatMap((metrics) => [...metrics])) {
    const known = merged.get(name)
    if (known === undefined) {
      merged.set(name, { ...family, values: new Map(family.values) })
      continue
    }
    const aggregate = aggregateOf(name, family)
    for (const [series, value] of family.values) {
      const present = known.values.get(series)
      known.values.set(series, present === undefined ? value : aggregate(present, value))
    }
  }
  return merged
}

/**
 * Keeps the counters of a process that ended. Without these counters the sums would decrease, and Prometheus would
 * count a decrease as a restart of all processes.
 */
export const withoutGauges = (metrics: Metrics): Metrics =>
  new Map([...metrics].filter(([, { type }]) => type !== "gauge"))

export const format = (metrics: Metrics): string =>
  [...metrics.values()]
    .flatMap(({ head, values }) => [...head, ...[...values].map(([series, value]) => `${series} ${value}`)])
    .map((line) => `${line}\n`)
    .join("")
