import { type Command, InvalidArgumentError, Option } from 'commander';
import { dateInZone } from '../../../shared/billing/budgets/index.ts';
import { workspaceId } from '../../../shared/domain/index.ts';
import {
  BudgetPolicies,
  policyKey,
  queryDailyAccounts,
  scanDailyAccounts,
  type ScannedAccounts,
  type TableScan,
} from '../../../shared/storage/index.ts';
import { createProbe } from '../../configuration/index.ts';
import { readParameters } from '../aws/deployment.ts';
import { EXIT_CODE } from '../exit-codes.ts';
import { COMMAND_CLOCK, type CommandClock } from '../operator/follow-work.ts';
import {
  type DeploymentAccess,
  type LocalSystemAccess,
  openSystem,
  type SystemAccess,
} from '../operator/open-system.ts';
import { parseWorkspace, type Workspace } from '../operator/parse-workspace.ts';
import { type OperatorTable, openTable, paceScan } from '../operator/tables.ts';
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
parameter Accounts=on (ACCOUNTS=on in .env; on by default with simulated models). Days are those of the time zone that a workspace has
set (quota zone), otherwise of the parameter TimeZone; the first day too, but without --workspace always of TimeZone.

Examples:
  npx parley usage                                        by person, today and the six days before
  npx parley usage --by day --since 2026-11-01
  npx parley usage --by model --since 30d --stage prod --csv > usage.csv
  npx parley usage --workspace slack:T0123456789 --stage prod    one workspace: cheap in a large deployment

Exit codes: 0 done, 1 the accounts cannot be read, 2 wrong arguments.`;

/** The first day (YYYY-MM-DD), or how far back it is (ms): which day that is depends on the time zone of the system. */
type Since = string | number;

export type UsageOptions = OperatorOptions & {
  readonly by: Grouping;
  readonly since: Since;
  readonly workspace?: Workspace;
  readonly csv: boolean;
};

const DEFAULT_SINCE_MS = 6 * 24 * 60 * 60_000;
const AWS_TIMEOUT_MS = 15_000;
/** Pages of 1 MB. Of more pages it says that the report is incomplete. */
const MAX_PAGES = 500;
/** After how many pages it is reported how far the scan of a deployment is: about half a minute. */
const REPORT_PAGES = 30;

/** Adds `parley usage`. */
export function addUsageCommand(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  addOperatorOptions(
    program
      .command('usage')
      .description('Show requests, tokens and dollars by person, channel, model, day or workspace.')
      .addOption(new Option('--by <what>', 'by what it is added up').choices(GROUPINGS).default('person'))
      .addOption(
        new Option('--since <day or time>', 'the first day, or how far back: 2026-11-01, 30d')
          .argParser(parseSince)
          .default(DEFAULT_SINCE_MS, 'six days ago'),
      )
      .option('--workspace <platform:id>', 'only this workspace or guild: slack:T0123456789', parseWorkspace)
      .option('--csv', 'print CSV instead of a table', false),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (options: UsageOptions) =>
      exit(await runOperatorCommand(terminal, () => runUsage(options, terminal))),
    );
}

function parseSince(input: string): Since {
  const ms = parseDuration(input);
  if (ms !== undefined) return ms;
  if (/^\d{4}-\d\d-\d\d$/u.test(input) && !Number.isNaN(Date.parse(input))) return input;
  throw new InvalidArgumentError('A day such as 2026-11-01, or a time such as 30d.');
}

/** Returns the time zone whose days accounts have: that of the workspace, if it has set one, otherwise of the system. Rejects with OperatorError. */
export async function findZone(
  workspace: Workspace | undefined,
  { dynamo, table }: Pick<OperatorTable, 'dynamo' | 'table'>,
  system: Pick<LocalSystemAccess, 'kind' | 'timeZone'> | Pick<DeploymentAccess, 'kind' | 'account' | 'stack'>,
): Promise<string> {
  const policies = new BudgetPolicies({ dynamo, table, now: Date.now });
  const key = workspace && policyKey({ ...workspace, workspace: workspaceId(workspace.workspace) });
  const { zone } = key === undefined ? {} : await policies.get(key);
  if (zone !== undefined) return zone;
  const ofSystem =
    system.kind === 'local'
      ? system.timeZone
      : (await readParameters(system.account, system.stack, createProbe(AWS_TIMEOUT_MS)))['TimeZone'];
  return ofSystem ?? 'UTC';
}

/** Returns the first day (YYYY-MM-DD) in a time zone. `now`: ms since 1970. */
export const findFirstDay = (since: Since, zone: string, now: number): string =>
  typeof since === 'string' ? since : dateInZone(now - since, zone);

async function runUsage(options: UsageOptions, terminal: Terminal): Promise<number> {
  const { by, workspace } = options;
  const system = await openSystem(options, terminal);
  const table = openTable(system);
  const zone = await findZone(workspace, table, system);
  const since = findFirstDay(options.since, zone, Date.now());
  const { accounts, isComplete } = await withProgress(terminal, 'Reading the accounts ...', () =>
    readAccounts(table, system, { firstDay: since, workspace }, terminal),
  );
  const lines = summarizeUsage(accounts, by);
  printUsage(lines, { ...options, since, zone, isComplete }, terminal);
  if (!isComplete) terminal.report('The table is large, and not all of it was read. Add --workspace.');
  return EXIT_CODE.success;
}

/**
 * Reads daily accounts since `firstDay` (YYYY-MM-DD), of one workspace or of all. For all it scans the table; that of a deployment slowly, and then it
 * reports how far it is. Rejects with OperatorError.
 */
export function readAccounts(
  { dynamo, scan, table }: OperatorTable,
  { kind }: Pick<SystemAccess, 'kind'>,
  { firstDay, workspace }: { readonly firstDay: string; readonly workspace: Workspace | undefined },
  { report }: Pick<Terminal, 'report'>,
  wait: CommandClock['wait'] = COMMAND_CLOCK.wait,
): Promise<ScannedAccounts> {
  if (workspace) return queryDailyAccounts(dynamo, table, workspace, firstDay);
  if (kind === 'local') return scanDailyAccounts(scan, table, firstDay, MAX_PAGES);
  const slow = paceScan(scan, wait);
  let pages = 0;
  const reporting: TableScan = async (input) => {
    if (pages > 0 && pages % REPORT_PAGES === 0)
      report(`Read ${pages} MB of at most ${MAX_PAGES}; slowly, because the bot shares the table ...`);
    pages += 1;
    return slow(input);
  };
  return scanDailyAccounts(reporting, table, firstDay, MAX_PAGES);
}

const formatNumber = (value: number): string => value.toLocaleString('en-US');

/** Prints the lines in the form that the options name. */
export function printUsage(
  lines: readonly UsageLine[],
  {
    by,
    since,
    zone,
    workspace,
    json,
    csv,
    isComplete,
  }: Pick<UsageOptions, 'by' | 'json' | 'csv' | 'workspace'> & {
    readonly since: string;
    readonly zone: string;
    readonly isComplete: boolean;
  },
  { print, width }: Pick<Terminal, 'print' | 'width'>,
): void {
  if (csv) {
    for (const line of formatCsv(lines)) print(line);
    return;
  }
  const total = sumUsage(lines);
  if (json) return print(JSON.stringify({ by, since, zone, isComplete, lines, total }, undefined, 2));
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
        ? [{ title: 'Workspace', cell: (line: UsageLine) => line.workspace }]
        : []),
      { title: 'Requests', cell: ({ requests }) => formatNumber(requests), isNumber: true },
      { title: 'Tokens in', cell: ({ promptTokens }) => formatNumber(promptTokens), isNumber: true },
      { title: 'Tokens out', cell: ({ completionTokens }) => formatNumber(completionTokens), isNumber: true },
      { title: 'Dollars', cell: ({ dollars }) => formatDollars(dollars), isNumber: true },
    ],
    width,
  );
  for (const line of table) print(line);
  print(
    `\nDays since ${since} in ${zone}${workspace ? '' : ', or in the time zone that a workspace has set'}.`,
  );
  if (total.unpriced > 0)
    print(`${formatNumber(total.unpriced)} requests have no known price, and are not part of the dollars.`);
}
