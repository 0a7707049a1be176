/** The backticks in a row from an offset on. */
export function runAt(text: string, at: number): string {
  let end = at;
  while (text.charAt(end) === '`') end += 1;
  return text.slice(at, end);
}

/** Where the run of backticks that closes a code span begins. */
export function closingTicks(line: string, run: string): number | undefined {
  for (const match of line.slice(run.length).matchAll(/`+/g)) {
    if (match[0].length === run.length) return run.length + match.index;
  }
  return undefined;
}
