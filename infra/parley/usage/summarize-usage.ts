import type { DailyAccount } from '../../../shared/storage/index.ts';
import { attoToDollars } from '../../../shared/utils/index.ts';

/** By what usage is added up. */
export const GROUPINGS = ['person', 'channel', 'model', 'day', 'workspace'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export type UsageLine = {
  /** The id of a person or channel, the name of a model, a day (YYYY-MM-DD), or a workspace. */
  readonly id: string;
  /** `-` if the line is about several. */
  readonly platform: string;
  readonly workspace: string;
  /** Requests to the models, also for transcripts, pictures and videos. */
  readonly requests: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly dollars: number;
  /** Requests whose price is unknown: `dollars` lacks them. */
  readonly unpriced: number;
};

/** The accounts of workspaces contain each request once. */
const SCOPES = {
  person: 'person',
  channel: 'channel',
  model: 'workspace',
  day: 'workspace',
  workspace: 'workspace',
} as const;

type MutableLine = { -readonly [name in keyof UsageLine]: UsageLine[name] };

/** Adds up daily accounts. Days are in their order; otherwise what costs most comes first. */
export function summarizeUsage(accounts: readonly DailyAccount[], by: Grouping): readonly UsageLine[] {
  const lines = new Map<string, MutableLine>();
  for (const account of accounts) {
    if (account.scope !== SCOPES[by]) continue;
    for (const [model, usage] of Object.entries(account.counters.models)) {
      const line = getOrCreateLine(lines, account, by === 'model' ? model : getGroupId(account, by), by);
      line.requests += usage.requests;
      line.promptTokens += usage.prompt;
      line.cachedTokens += usage.cached;
      line.completionTokens += usage.completion;
      line.dollars += attoToDollars(usage.atto);
      line.unpriced += usage.unknown;
    }
  }
  const all = [...lines.values()];
  return by === 'day'
    ? all.toSorted((a, b) => a.id.localeCompare(b.id))
    : all.toSorted((a, b) => b.dollars - a.dollars || b.requests - a.requests || a.id.localeCompare(b.id));
}

function getGroupId({ id, day, workspace }: DailyAccount, by: Exclude<Grouping, 'model'>): string {
  if (by === 'day') return day;
  return by === 'workspace' ? workspace : id;
}

/** A model or a day is one line for all workspaces. */
function getOrCreateLine(
  lines: Map<string, MutableLine>,
  { platform, workspace }: DailyAccount,
  id: string,
  by: Grouping,
): MutableLine {
  const isShared = by === 'model' || by === 'day';
  const key = isShared ? id : `${platform} ${workspace} ${id}`;
  const line = lines.get(key) ?? {
    id,
    platform: isShared ? '-' : platform,
    workspace: isShared ? '-' : workspace,
    requests: 0,
    promptTokens: 0,
    cachedTokens: 0,
    completionTokens: 0,
    dollars: 0,
    unpriced: 0,
  };
  lines.set(key, line);
  return line;
}

/** Adds all lines. */
export function sumUsage(lines: readonly UsageLine[]): Omit<UsageLine, 'id' | 'platform' | 'workspace'> {
  const sum = (pick: (line: UsageLine) => number): number =>
    lines.reduce((total, line) => total + pick(line), 0);
  return {
    requests: sum(({ requests }) => requests),
    promptTokens: sum(({ promptTokens }) => promptTokens),
    cachedTokens: sum(({ cachedTokens }) => cachedTokens),
    completionTokens: sum(({ completionTokens }) => completionTokens),
    dollars: sum(({ dollars }) => dollars),
    unpriced: sum(({ unpriced }) => unpriced),
  };
}

const CSV_COLUMNS = [
  'id',
  'platform',
  'workspace',
  'requests',
  'promptTokens',
  'cachedTokens',
  'completionTokens',
  'dollars',
  'unpriced',
] as const satisfies readonly (keyof UsageLine)[];

/** Formats lines as CSV (RFC 4180) with a head. A spreadsheet takes no cell for a formula. */
export const formatCsv = (lines: readonly UsageLine[]): string[] => [
  CSV_COLUMNS.join(','),
  ...lines.map((line) => CSV_COLUMNS.map((name) => formatCell(line[name])).join(',')),
];

function formatCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]./u.test(value) ? `'${value}` : value;
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
