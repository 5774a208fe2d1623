/**
 * Merges the metrics of several processes, in Prometheus's text format. The result for a counter, a histogram or a
 * memory gauge is the sum over all processes. The result for any other gauge is the maximum or the minimum. Gauges that
 * are read from the database have the same value in all processes.
 */
type Aggregate = (one: number, other: number) => number

const sum: Aggregate = (one, other) => one + other

/**
 * The function that combines the values of a gauge from several processes. For a gauge without an entry in `gauges`,
 * the result is the maximum of all processes. The heap gauge is not summed, because each process has its own heap limit
 * and a sum would hide a process near this limit.
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
  /** Maps each series, which is a name with labels, to its value. */
  readonly values: ReadonlyMap<string, number>
}

export type ParsedMetrics = ReadonlyMap<string, Family>

export const parsePrometheusText = (text: string): ParsedMetrics => {
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
      // In a line of Prometheus's text format, the value follows the last space, because only labels may contain
      // spaces.
      const end = line.lastIndexOf(" ")
      values.set(line.slice(0, end), Number(line.slice(end + 1)))
    }
  }
  return families
}

const aggregateOf = (name: string, { type }: Family): Aggregate => (type === "gauge" ? (gauges[name] ?? Math.max) : sum)

export const mergeMetrics = (all: ReadonlyArray<ParsedMetrics>): ParsedMetrics => {
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
 * Removes the gauges of an ended process, and keeps its counters and histograms. Without the counters of ended
 * processes the sums would decrease, and Prometheus would assume that all processes had restarted.
 */
export const removeGauges = (metrics: ParsedMetrics): ParsedMetrics =>
  new Map([...metrics].filter(([, { type }]) => type !== "gauge"))

export const formatPrometheusText = (metrics: ParsedMetrics): string =>
  [...metrics.values()]
    .flatMap(({ head, values }) => [...head, ...[...values].map(([series, value]) => `${series} ${value}`)])
    .map((line) => `${line}\n`)
    .join("")
