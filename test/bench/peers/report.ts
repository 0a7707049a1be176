import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../../../infra/cdk/bundle.ts';
import type { StoredFigure, StoredSection } from './stored-results.ts';

const OURS = 'Parley';
/** The chart has one bar for each subject. */
const CHARTED = 3;

/** Writes docs/performance.md. */
export function writeReport(intro: readonly string[], sections: readonly StoredSection[]): void {
  const lines = ['# Performance', '', ...intro, '', ...lossLines(sections)];
  for (const section of sections) lines.push(...sectionLines(section));
  const path = join(PROJECT, 'docs/performance.md');
  writeFileSync(path, `${lines.join('\n').trimEnd()}\n`);
  const { status } = spawnSync(join(PROJECT, 'node_modules/.bin/oxfmt'), [path], { stdio: 'ignore' });
  if (status !== 0) throw new Error(`${path} could not be formatted`);
}

/** More than this is not the noise of a run. */
const LOSS_RATIO = 1.1;

/** Why Parley needs more, and the rows for which this is the reason. */
const REASONS: readonly (readonly [reason: string, rows: RegExp])[] = [
  [
    'It reads the stream of the model at most ten times a second, to save processor time',
    /last token to final text/iu,
  ],
  ['It answers everybody, and lets them wait for the limit of the models', /questions at once/u],
  [
    'It stores a question in a table and puts it on a queue before it acknowledges; another process receives it and asks the model',
    /first word|responses/iu,
  ],
  [
    'It shows a status, looks people up, checks once a second whether the answer is to be stopped, and stores the answer and its cost',
    /calls|processor time/iu,
  ],
];

const reasonOf = ({ what }: { readonly what: string }): string =>
  REASONS.find(([, rows]) => rows.test(what))?.[0] ?? 'For other reasons';

/** The rows in which the best peer needs less, by reason. */
function lossLines(sections: readonly StoredSection[]): string[] {
  const lost = sections
    .flatMap(({ figures }) => figures)
    .map((figure) => ({ what: figure.what, times: ratio(figure) ?? 0 }))
    .filter(({ times }) => times > LOSS_RATIO);
  const lines = [...Map.groupBy(lost, reasonOf)].map(
    ([reason, rows]) =>
      `- **${reason}.** ${rows.map(({ what, times }) => `${what}: ${times.toFixed(1)} times`).join('; ')}.`,
  );
  return lines.length === 0 ? [] : ['Where Parley needs more than the best peer, and why:', '', ...lines, ''];
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function sectionLines({ title, text, figures, notes = [], day }: StoredSection): string[] {
  const names = [...new Set(figures.flatMap(({ values }) => Object.keys(values)))];
  return [
    `## ${title}`,
    '',
    `${text} Measured on ${day}.`,
    '',
    row(['', ...names, ...(names.length > 1 ? ['Parley / best peer'] : [])]),
    row(['---', ...names.map(() => '---'), ...(names.length > 1 ? ['---'] : [])]),
    ...figures.map((figure) =>
      row([
        `${figure.what} (${figure.unit})`,
        ...names.map((name) => cellOf(figure, name)),
        ...(names.length > 1 ? [ratioOf(figure)] : []),
      ]),
    ),
    '',
    ...notes.flatMap((note) => [note, '']),
    ...figures.slice(0, 1).flatMap(chartOf),
  ];
}

/** The median, and the quartiles if there are enough runs. */
function cellOf({ values, digits = 0 }: StoredFigure, name: string): string {
  const measured = values[name];
  if (!measured) return name in values ? 'never' : '—';
  const text = (value: number): string => value.toFixed(digits);
  const [low, high] = [text(measured.low), text(measured.high)];
  return measured.count < 4 || low === high
    ? text(measured.median)
    : `${text(measured.median)} (${low}–${high})`;
}

/** Below this, a time is within the error of the measurement. */
const LEAST = 1;

/** Our median by the smallest of the peers. */
export function ratio({ values, isGain = false }: StoredFigure): number | undefined {
  const ours = values[OURS]?.median;
  const peers = Object.entries(values).flatMap(([name, measured]) =>
    name === OURS || !measured ? [] : [measured.median],
  );
  const best = Math.min(...peers);
  return isGain || ours === undefined || peers.length === 0 || best < LEAST ? undefined : ours / best;
}

const ratioOf = (figure: StoredFigure): string => ratio(figure)?.toFixed(2) ?? '';

function chartOf({ what, unit, values }: StoredFigure): string[] {
  const bars = Object.entries(values)
    .flatMap(([name, measured]) => (measured ? [{ name, median: measured.median }] : []))
    .slice(0, CHARTED);
  if (bars.length < 2) return [];
  return [
    '```mermaid',
    'xychart-beta',
    `  title "${what} (${unit})"`,
    `  x-axis [${bars.map(({ name }) => `"${name}"`).join(', ')}]`,
    `  bar [${bars.map(({ median }) => median.toFixed(1)).join(', ')}]`,
    '```',
    '',
  ];
}
