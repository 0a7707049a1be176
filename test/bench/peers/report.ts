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

/** The rows in which the best peer needs less. */
function lossLines(sections: readonly StoredSection[]): string[] {
  const lost = sections.flatMap(({ figures }) =>
    figures.flatMap((figure) => {
      const value = ratio(figure) ?? 0;
      return value > LOSS_RATIO ? [`- ${figure.what}: ${value.toFixed(1)} times the best peer`] : [];
    }),
  );
  return lost.length === 0 ? [] : ['Where Parley needs more than the best peer:', '', ...lost, ''];
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
