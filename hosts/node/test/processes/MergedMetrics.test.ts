/** Tests how the metrics of several processes are merged into the metrics of one service. */
import * as MergedMetrics from "@partner-commentary/node/processes/MergedMetrics"
import { expect, it } from "vitest"

const first = MergedMetrics.parsePrometheusText(`# HELP requests_total Requests
# TYPE requests_total counter
requests_total{area="topics list",status="200"} 3
requests_total{area="other",status="404"} 1
# TYPE seconds histogram
seconds_bucket{le="0.1"} 2
seconds_bucket{le="+Inf"} 4
seconds_sum 1.5
seconds_count 4
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 100
# TYPE nodejs_heap_size_used_bytes gauge
nodejs_heap_size_used_bytes 90
# TYPE nodejs_heap_size_limit_bytes gauge
nodejs_heap_size_limit_bytes 100
# TYPE process_start_time_seconds gauge
process_start_time_seconds 1000
# TYPE partner_commentary_database_up gauge
partner_commentary_database_up 1
# TYPE partner_commentary_work_due gauge
partner_commentary_work_due{kind="mails"} 5
`)

const second = MergedMetrics.parsePrometheusText(`# TYPE requests_total counter
requests_total{area="topics list",status="200"} 4
# TYPE seconds histogram
seconds_bucket{le="0.1"} 1
seconds_bucket{le="+Inf"} 1
seconds_sum 0.05
seconds_count 1
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 50
# TYPE nodejs_heap_size_used_bytes gauge
nodejs_heap_size_used_bytes 10
# TYPE nodejs_heap_size_limit_bytes gauge
nodejs_heap_size_limit_bytes 100
# TYPE process_start_time_seconds gauge
process_start_time_seconds 2000
# TYPE partner_commentary_database_up gauge
partner_commentary_database_up 0
# TYPE partner_commentary_work_due gauge
partner_commentary_work_due{kind="mails"} 6
# TYPE only_here gauge
only_here 7
`)

const lines = (text: string) => text.split("\n")

it("merged counters and histograms are the sums of all processes for each series", () => {
  const merged = lines(MergedMetrics.formatPrometheusText(MergedMetrics.mergeMetrics([first, second])))
  for (const line of [
    "# HELP requests_total Requests",
    "# TYPE requests_total counter",
    'requests_total{area="topics list",status="200"} 7',
    'requests_total{area="other",status="404"} 1',
    'seconds_bucket{le="0.1"} 3',
    'seconds_bucket{le="+Inf"} 5',
    "seconds_sum 1.55",
    "seconds_count 5",
    "only_here 7"
  ]) {
    expect(merged).toContain(line)
  }
  expect(merged.filter((line) => line.startsWith("# TYPE requests_total"))).toHaveLength(1)
})

it("merged heap gauges have the maximum of all processes, so that a process near its heap limit stays visible", () => {
  const merged = lines(MergedMetrics.formatPrometheusText(MergedMetrics.mergeMetrics([first, second])))
  expect(merged).toContain("nodejs_heap_size_used_bytes 90")
  expect(merged).toContain("nodejs_heap_size_limit_bytes 100")
})

it("the merged metrics contain the sum of all processes' memory, the lowest database_up and the oldest start time", () => {
  const merged = lines(MergedMetrics.formatPrometheusText(MergedMetrics.mergeMetrics([first, second])))
  expect(merged).toContain("process_resident_memory_bytes 150")
  expect(merged).toContain("process_start_time_seconds 1000")
  expect(merged).toContain("partner_commentary_database_up 0")
  expect(merged).toContain('partner_commentary_work_due{kind="mails"} 6')
})

it("the merged metrics keep the counters of an ended process and drop its gauges", () => {
  const merged = lines(
    MergedMetrics.formatPrometheusText(MergedMetrics.mergeMetrics([MergedMetrics.removeGauges(first), second]))
  )
  expect(merged).toContain('requests_total{area="topics list",status="200"} 7')
  expect(merged).toContain("seconds_count 5")
  expect(merged).toContain("process_resident_memory_bytes 50")
})
