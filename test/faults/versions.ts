/** Writes of the next version, which today's code cannot read. */
const NEXT = '{"v":2,"was":';
export const toNextVersion = (task: string): string => `${NEXT}${task}}`;
/** The next version reads both. */
export const toThisVersion = (body: string): string =>
  body.startsWith(NEXT) ? body.slice(NEXT.length, -1) : body;
