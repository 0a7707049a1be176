/** The run of backticks at an offset. */
export function runAt(text: string, at: number): string {
  let end = at;
  while (text.charAt(end) === '`') end += 1;
  return text.slice(at, end);
}

/** The offset of the run of backticks that closes a code span. */
export function closingTicks(line: string, run: string): number | undefined {
  for (const match of line.slice(run.length).matchAll(/`+/g)) {
    if (match[0].length === run.length) return run.length + match.index;
  }
  return undefined;
}
