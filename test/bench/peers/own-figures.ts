import { measureTurnsAt } from '../capacity.ts';
import { cost } from '../cost.ts';
import { start } from '../start.ts';
import { VOICE_FORMATS, measureVoice } from '../voice.ts';
import type { Row } from '../report-table.ts';
import type { Figure, Section } from './figures.ts';

// What the bots of other projects do not have, or have no use for.

/** Turns of one thread, of 2 KB each. */
const TURNS = [1, 10, 100, 1_000, 10_000] as const;
const TURN_GAP_MS = 60_000;

/** Units of the tables of turns of one long thread. */
export async function threadSection(): Promise<Section[]> {
  const turns = await measureTurnsAt(TURNS, TURN_GAP_MS);
  const figure = (what: 'writes' | 'reads', n: number): Figure => ({
    what: `Turn ${n.toLocaleString('en')}: ${what}`,
    unit: 'units',
    digits: 1,
    values: { Parley: [turns.get(n)?.[what] ?? Number.NaN] },
  });
  return [
    {
      title: 'A long thread',
      text: 'The units of the tables that DynamoDB bills for a turn of 2 KB, with all of its writes and reads. [Which writes these are](storage.md#write-units-of-a-turn). `npm test -- test/bench/exact-counts` compares them exactly, and the bytes of a prompt that repeat the prompt before: 74 % of a long thread with the usual window of 12 KB. A turn of 100 tokens takes six write units at any place in a thread. Far turns follow copies of earlier ones.',
      figures: TURNS.flatMap((n) => [figure('writes', n), figure('reads', n)]),
    },
  ];
}

/** From a voice message to its text, in each format. */
export async function voiceSection(): Promise<Section[]> {
  const times = await measureVoice(VOICE_FORMATS);
  return [
    {
      title: 'Voice messages',
      text: 'From the event of a voice message of 10 s in Slack to its text in the thread, with models that respond at once.',
      figures: VOICE_FORMATS.map((format) => ({
        what: format,
        unit: 'ms',
        values: { Parley: (times.get(format) ?? []).map(({ all }) => all) },
      })),
    },
  ];
}

/** What 1,000 answers cost on AWS. */
export async function costSection(): Promise<Section[]> {
  return [
    {
      title: 'Cost on AWS',
      text: 'What 1,000 answers of 15 s cost in us-east-1, without the models: `npm run bench -- cost`, whose table is in docs/deploying.md.',
      figures: figuresOf(await cost(), 2),
    },
  ];
}

/** The start of the local system, and its memory. */
export async function readySection(): Promise<Section[]> {
  return [
    { title: 'The local system', text: '`npm run bench -- start`.', figures: figuresOf(await start(), 1) },
  ];
}

/** Numbers from here on are shown without decimals. */
const LARGE = 1_000;

const figuresOf = (rows: readonly Row[], digits: number): Figure[] =>
  rows.map(({ what, unit, value, limit }) => ({
    what: limit === undefined ? what : `${what}, at most ${limit}`,
    unit,
    digits: value >= LARGE ? 0 : digits,
    values: { Parley: [value] },
  }));
