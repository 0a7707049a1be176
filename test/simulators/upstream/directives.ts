/** `[[sim:name=value key=value]]` in a message: an instruction to the simulator by a test or a person. */
export type Directive = {
  readonly name: string;
  readonly value: string | undefined;
  readonly options: Readonly<Record<string, string>>;
};

const MARK = /\[\[sim:([a-z-]+)(?:=([^\]]*?))?((?:\s+[a-z]+=[^\s\]]+)*)\s*\]\]/giu;
/** With its surrounding spaces, which count as one gap between words. */
const MARK_AND_BLANKS = new RegExp(`(?<before>[ \\t]*)${MARK.source}(?<after>[ \\t]*)`, 'giu');

/** The directives of a text, in order. */
export function directivesIn(text: string): Directive[] {
  return [...text.matchAll(MARK)].map(([, name = '', value, rest = '']) => ({
    name: name.toLowerCase(),
    value,
    options: Object.fromEntries(
      [...rest.matchAll(/([a-z]+)=([^\s\]]+)/giu)].map(([, key = '', to = '']) => [key, to]),
    ),
  }));
}

/** The text without directives; its other white space stays, such as the indentation of code. */
export function withoutDirectives(text: string): string {
  return text
    .replace(MARK_AND_BLANKS, '$<before>')
    .replace(/^(?:[^\S\n]*\n)+/u, '')
    .trimEnd();
}

/** The integer of a directive; `otherwise` without one. */
export function numberOf(value: string | undefined, otherwise: number): number {
  const read = Number(value ?? Number.NaN);
  return Number.isFinite(read) && read >= 0 ? Math.floor(read) : otherwise;
}
