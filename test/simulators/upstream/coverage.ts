/**
 * The rows of the upstream's requirement list that this simulator enforces or produces: those of the simulator, those of
 * both sides, and of those not shown the ones where it takes a default. By group; each row is named in a test's title.
 */
const ROWS: Readonly<Record<string, string>> = {
  GEN: '1-3 5 7-9 11-13 15-17 19',
  CHAT: '1-14 16-30 32-46 48-49 51-55 57-59 61-74 76',
  MSG: '1-2 4-6 8-9 11 13 16',
  RES: '1-9 11-12 14-17 19-21 23',
  STR: '1-7 9-10 12 14 16 23',
  LEG: '1-20 22-27 29-33 35-36 38',
  MOD: '1-5 7-8 10-12 15-20',
  SPK: '1-5 7-17 19-21',
  VIS: '1-8 10-13 15-19 22-25 27-28 31-32',
  VID: '1-4 6-15',
  VLM: '1-2',
  ERR: '1-7 9-10 12-14 17 19-21',
  LIM: '1-14 16-18 20-25 27-28',
};

/** Rows that the simulator does not cover, with the reason. */
export const ABSENT: Readonly<Record<string, string>> = {};

/** Every supported row, as `CHAT-002`. */
export function supportedRows(): string[] {
  return Object.entries(ROWS).flatMap(([group, ranges]) =>
    ranges.split(' ').flatMap((range) => {
      const [from = 0, to = from] = range.split('-').map(Number);
      return Array.from(
        { length: to - from + 1 },
        (_, at) => `${group}-${String(from + at).padStart(3, '0')}`,
      );
    }),
  );
}
