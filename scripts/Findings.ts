/** Prints the findings of a check and a summary. The process fails if there is a finding. */
export const reportFindings = (summary: string, findings: ReadonlyArray<string>): void => {
  for (const finding of findings) process.stdout.write(`${finding}\n`)
  process.stdout.write(`${summary}, ${findings.length} findings\n`)
  if (findings.length > 0) process.exitCode = 1
}
