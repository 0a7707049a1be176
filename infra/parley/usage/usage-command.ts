import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  queryDailyAccounts,
  scanDailyAccounts,
  type ScannedAccounts,
} from '../../../shared/storage/index.ts';
import { EXIT_CODE } from '../exit-codes.ts';
import { openSystem } from '../operator/open-system.ts';
import { parseWorkspace, type Workspace } from '../operator/parse-workspace.ts';
import { type OperatorTable, openTable } from '../operator/tables.ts';
import {
  addOperatorOptions,
  type OperatorOptions,
  runOperatorCommand,
} from '../operator/run-operator-command.ts';
import { formatDollars, parseDuration } from '../output/format.ts';
import { withProgress } from '../output/progress.ts';
import { formatTable } from '../output/table.ts';
import type { Terminal } from '../terminal.ts';
import {
  formatCsv,
  type Grouping,
  GROUPINGS,
  summarizeUsage,
  sumUsage,
  type UsageLine,
} from './summarize-usage.ts';

const EXAMPLES = `
Adds up requests, tokens and dollars from the accounts of the bot. They are kept for 400 days, and only if the deployment has the
parameter Accounts=on (ACCOUNTS=on in .env; on by default with simulated models). Days are those of its time zone.

Examples:
  npx parley usage                                        by person, today and the six days before
  npx parley usage --by day --since 2026-11-01
  npx parley usage --by model --since 30d --stage prod --csv > usage.csv
  npx parley usage --workspace slack:T0123456789 --stage prod    one workspace: cheap in a large deployment

Exit codes: 0 done, 1 the accounts cannot be read, 2 wrong arguments.`;

export type UsageOptions = OperatorOptions & {
  readonly by: Grouping;
  /** The first day, YYYY-MM-DD. */
  readonly since: string;
  readonly workspace?: Workspace;
  readonly csv: boolean;
};

const DAY_MS = 24 * 60 * 60_000;
const DEFAULT_DAYS = 6;
/** Pages of 1 MB. Of more pages it says that the report is incomplete. */
const MAX_PAGES = 500;

/** Adds `parley usage`. */
export function addUsageCommand(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  const firstDay = toDay(Date.now() - DEFAULT_DAYS * DAY_MS);
  addOperatorOptions(
    program
      .command('usage')
      .description('Show requests, tokens and dollars by person, channel, model, day or workspace.')
      .addOption(new Option('--by <what>', 'by what it is added up').choices(GROUPINGS).default('person'))
      .addOption(
        new Option('--since <day or time>', 'the first day, or how far back: 2026-11-01, 30d')
          .argParser(parseFirstDay)
          .default(firstDay, 'six days ago'),
      )
      .option('--workspace <platform:id>', 'only this workspace or guild: slack:T0123456789', parseWorkspace)
      .option('--csv', 'print CSV instead of a table', false),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (options: UsageOptions) =>
      exit(await runOperatorCommand(terminal, () => runUsage(options, terminal))),
    );
}

const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function parseFirstDay(input: string): string {
  const ms = parseDuration(input);
  if (ms !== undefined) return toDay(Date.now() - ms);
  if (/^\d{4}-\d\d-\d\d$/u.test(input) && !Number.isNaN(Date.parse(input))) return input;
  throw new InvalidArgumentError('A day such as 2026-11-01, or a time such as 30d.');
}

async function runUsage(options: UsageOptions, terminal: Terminal): Promise<number> {
  const { by, since, workspace } = options;
  const table = openTable(await openSystem(options, terminal));
  const { accounts, isComplete } = await withProgress(terminal, 'Reading the accounts ...', () =>
    readAccounts(table, since, workspace),
  );
  const lines = summarizeUsage(accounts, by);
  printUsage(lines, { ...options, isComplete }, terminal);
  if (!isComplete) terminal.report('The table is large, and not all of it was read. Add --workspace.');
  return EXIT_CODE.success;
}

const readAccounts = (
  { dynamo, scan, table }: OperatorTable,
  firstDay: string,
  workspace: Workspace | undefined,
): Promise<ScannedAccounts> =>
  workspace
    ? queryDailyAccounts(dynamo, table, workspace, firstDay)
    : scanDailyAccounts(scan, table, firstDay, MAX_PAGES);

const formatNumber = (value: number): string => value.toLocaleString('en-US');

/** Prints the lines in the form that the options name. */
export function printUsage(
  lines: readonly UsageLine[],
  {
    by,
    since,
    json,
    csv,
    isComplete,
  }: Pick<UsageOptions, 'by' | 'since' | 'json' | 'csv'> & { readonly isComplete: boolean },
  { print, width }: Pick<Terminal, 'print' | 'width'>,
): void {
  if (csv) {
    for (const line of formatCsv(lines)) print(line);
    return;
  }
  const total = sumUsage(lines);
  if (json) return print(JSON.stringify({ by, since, isComplete, lines, total }, undefined, 2));
  if (lines.length === 0)
    return print(`Nothing since ${since}. Accounts are kept only with the parameter Accounts=on.`);
  const rows: UsageLine[] = [...lines, { id: 'Total', platform: '', workspace: '', ...total }];
  const table = formatTable<UsageLine>(
    rows,
    [
      { title: by.charAt(0).toUpperCase() + by.slice(1), cell: ({ id }) => id },
      ...(by === 'person' || by === 'channel' || by === 'workspace'
        ? [{ title: 'Platform', cell: ({ platform }: UsageLine) => platform }]
        : []),
      ...(by === 'person' || by === 'channel'
        ? [{ title: 'Workspace', cell: ({ workspace }: UsageLine) => workspace }]
        : []),
      { title: 'Requests', cell: ({ requests }) => formatNumber(requests), isNumber: true },
      { title: 'Tokens in', cell: ({ promptTokens }) => formatNumber(promptTokens), isNumber: true },
      { title: 'Tokens out', cell: ({ completionTokens }) => formatNumber(completionTokens), isNumber: true },
      { title: 'Dollars', cell: ({ dollars }) => formatDollars(dollars), isNumber: true },
    ],
    width,
  );
  for (const line of table) print(line);
  if (total.unpriced > 0)
    print(`\n${formatNumber(total.unpriced)} requests have no known price, and are not part of the dollars.`);
}
