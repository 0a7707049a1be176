import type { DailyAccount } from '../../../shared/storage/index.ts';
import { attoToDollars } from '../../../shared/utils/index.ts';
import type { Usage, UsageRow } from './dashboard-data.ts';

/** Returns the name of a person or channel; undefined if it is unknown. */
export type NameLookup = (platform: string, scope: 'person' | 'channel', id: string) => string | undefined;

const MAX_ROWS = 50;

/** Adds up daily accounts by person, channel and model. Those who cost most come first. */
export function toUsage(accounts: readonly DailyAccount[], firstDay: string, nameOf: NameLookup): Usage {
  return {
    firstDay,
    people: sumUp(accounts, 'person', nameOf),
    channels: sumUp(accounts, 'channel', nameOf),
    models: sumUpModels(accounts),
  };
}

type MutableRow = { -readonly [name in keyof UsageRow]: UsageRow[name] };

function sumUp(
  accounts: readonly DailyAccount[],
  scope: 'person' | 'channel',
  nameOf: NameLookup,
): readonly UsageRow[] {
  const rows = new Map<string, MutableRow>();
  for (const account of accounts.filter((one) => one.scope === scope)) {
    const { platform, workspace, id } = account;
    const row = getOrCreateRow(rows, `${platform} ${workspace} ${id}`, () =>
      emptyRow(id, platform, nameOf(platform, scope, id)),
    );
    for (const model of Object.values(account.counters.models)) addModel(row, model);
  }
  return sortRows(rows);
}

/** The accounts of workspaces contain each request once. */
function sumUpModels(accounts: readonly DailyAccount[]): readonly UsageRow[] {
  const rows = new Map<string, MutableRow>();
  for (const { platform, counters } of accounts.filter(({ scope }) => scope === 'workspace')) {
    for (const [model, usage] of Object.entries(counters.models)) {
      const row = getOrCreateRow(rows, `${platform} ${model}`, () => emptyRow(model, platform, undefined));
      addModel(row, usage);
    }
  }
  return sortRows(rows);
}

function getOrCreateRow(rows: Map<string, MutableRow>, key: string, create: () => MutableRow): MutableRow {
  const row = rows.get(key) ?? create();
  rows.set(key, row);
  return row;
}

const emptyRow = (id: string, platform: string, name: string | undefined): MutableRow => ({
  id,
  name,
  platform,
  requests: 0,
  tokens: 0,
  dollars: 0,
  unpriced: 0,
});

function addModel(row: MutableRow, model: DailyAccount['counters']['models'][string]): void {
  row.requests += model.requests;
  row.tokens += model.prompt + model.completion;
  row.dollars += attoToDollars(model.atto);
  row.unpriced += model.unknown;
}

const sortRows = (rows: ReadonlyMap<string, UsageRow>): readonly UsageRow[] =>
  [...rows.values()]
    .toSorted((a, b) => b.dollars - a.dollars || b.requests - a.requests || a.id.localeCompare(b.id))
    .slice(0, MAX_ROWS);
