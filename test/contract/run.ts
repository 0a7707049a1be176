import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { RecordedExchange } from '../simulators/recorder.ts';
import { USED_METHODS } from '../simulators/slack/used-methods.ts';
import { checkDiscord } from './discord.ts';
import { readExchanges, recordJourneys } from './exchanges.ts';
import { FORMS, manifestFaults, manifestFor, manifestSchema } from './manifest.ts';
import { claimsOf } from './slack-claims.ts';
import { typeCheck } from './type-check.ts';

/**
 * `npm run contract`: runs the journeys and checks what they sent and received against what Slack and Discord publish.
 * `-- --recorded FOLDER` takes what a run of the tests with PARLEY_RECORD_TO has recorded there. Exits with 1 for any deviation.
 */
const { values } = parseArgs({ options: { recorded: { type: 'string' } } });
const beside = join(import.meta.dirname, '..', '..', '..', 'shared');
const shared = process.env['PARLEY_SHARED'] ?? (existsSync(beside) ? beside : undefined);

const SHOWN_FAULTS = 30;
const MAX_SHOWN_LENGTH = 700;

/** What was checked, in a line, and what is wrong. */
type Finding = {
  readonly line: string;
  readonly faults: readonly string[];
  /** What it is checked against is not on this machine. */
  readonly skipped?: boolean;
};

async function slack(exchanges: readonly RecordedExchange[]): Promise<Finding> {
  const ofSlack = exchanges.filter(({ platform }) => platform === 'slack');
  const claims = claimsOf(ofSlack);
  const deviations = await typeCheck(claims);
  const sent = new Set(ofSlack.map(({ operation }) => operation));
  const number = (direction: string): number => claims.filter((one) => one.direction === direction).length;
  return {
    line:
      `Slack: ${ofSlack.length} exchanges; ${number('request')} shapes of requests and ${number('response')} of responses ` +
      `of ${sent.size} operations, ${number('delivery')} of events and interactions`,
    faults: [
      ...[...USED_METHODS]
        .filter((method) => !sent.has(method))
        .map((method) => `no journey calls ${method}`),
      ...deviations.map(
        ({ claim, error }) =>
          `${claim.direction} ${claim.operation} (${claim.count} of this shape): ${error.slice(0, MAX_SHOWN_LENGTH)}\n    ${JSON.stringify(claim.value).slice(0, MAX_SHOWN_LENGTH)}`,
      ),
    ],
  };
}

function discord(exchanges: readonly RecordedExchange[]): Finding {
  const contract = checkDiscord(exchanges, shared);
  if (!contract)
    return {
      line: 'Discord: not checked, its OpenAPI document is not in ../shared/specs (or specs of PARLEY_SHARED)',
      skipped: true,
      faults: [],
    };
  const { requests, responses, unknown, deviations } = contract;
  const without = unknown.length === 0 ? '' : `; without a schema: ${unknown.join(', ')}`;
  return {
    line: `Discord: ${requests} requests and ${responses} responses${without}`,
    faults: [
      ...(requests === 0 ? ['no journey calls Discord'] : []),
      ...deviations.map(
        ({ direction, operation, status, at, rule, body }) =>
          `${direction} ${operation} ${status} at ${at}: ${rule}\n    ${body}`,
      ),
    ],
  };
}

function manifests(): Finding {
  const schema = manifestSchema(shared);
  const faults = FORMS.flatMap((form) =>
    manifestFaults(manifestFor(form), schema).map((fault) => `manifest ${form.join(' ')}: ${fault}`),
  );
  const by = schema ? "and Slack's schema 2.0.0" : "alone; Slack's schema is not in ../shared/samples";
  return {
    line: `Slack's manifest: ${FORMS.length} forms, checked against the documented limits ${by}`,
    faults,
  };
}

const exchanges =
  values.recorded === undefined ? await recordJourneys() : await readExchanges(values.recorded);
const findings = [await slack(exchanges), discord(exchanges), manifests()];
for (const { line, faults, skipped = false } of findings) {
  console.log(`${skipped ? 'skip' : faults.length === 0 ? 'ok  ' : 'FAIL'} ${line}`);
  for (const fault of faults.slice(0, SHOWN_FAULTS)) console.log(`  ${fault}`);
  if (faults.length > SHOWN_FAULTS) console.log(`  and ${faults.length - SHOWN_FAULTS} more`);
}
const total = findings.reduce((sum, { faults }) => sum + faults.length, 0);
console.log(`\n${total} deviations`);
if (total > 0) process.exitCode = 1;
