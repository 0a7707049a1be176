import { installState } from '../fakes/install-state.ts';
import { type Json, stringOf } from '../simulators/discord/json.ts';
import { ACTOR } from './access-checker.ts';
import { pick } from './commands.ts';
import { repeatUpdate } from './discord-actor.ts';
import * as discord from './discord-operations.ts';
import { askSlackToForget, confirmOnDiscord, confirmOnSlack } from './forget-operations.ts';
import { type Actor, NOBODY_ID } from './access-model.ts';
import type { Operation } from './operation.ts';
import { reactOrOpenHome, uninstall } from './slack-reactions-and-home.ts';
import * as slack from './slack-operations.ts';
import { callBack, makeVideoOnDiscord, makeVideoOnSlack } from './video-operations.ts';
import { chooseOperation, type MakeOperation } from './features/feature.ts';
import { CLIENT_SECRET } from './secrets.ts';
import type { SlackTenant } from './slack-tenants.ts';
import type { IsolationHarness } from './harness.ts';

/** Nobody: a forged request. */
export const NOBODY: Actor = {
  tenant: 'none',
  channel: 'none',
  conversation: '',
  user: NOBODY_ID,
  admin: false,
  secret: false,
  operation: 'forged request',
};

/** The value of another control, or this one with a changed character, or truncated. */
function forgedText(harness: IsolationHarness, text: string, key: string): string {
  const other = stringOf(pick(harness.random, harness.actions)?.[key]);
  const at = Math.floor(harness.random() * Math.max(text.length, 1));
  const sign = String.fromCodePoint(33 + Math.floor(harness.random() * 90));
  return (
    pick(harness.random, [
      other,
      other,
      other,
      text.slice(0, at) + sign + text.slice(at + 1),
      text.slice(0, at),
    ]) ?? ''
  );
}

function forgedPress(harness: IsolationHarness): Operation | undefined {
  if (harness.random() < 0.5)
    return slack.press(harness, (action: Json): Json => {
      const other = pick(
        harness.random,
        harness.actions.filter((one) => 'action_id' in one),
      );
      if (harness.random() < 0.5 && other)
        return { ...action, ...other, action_ts: action['action_ts'] ?? '' };
      return { ...action, value: forgedText(harness, stringOf(action['value']), 'value') };
    });
  return discord.press(harness, (data) => ({
    ...data,
    custom_id: forgedText(harness, stringOf(data['custom_id']), 'custom_id'),
  }));
}

/** Replays an earlier request. */
function replay(harness: IsolationHarness): Operation | undefined {
  const sent = pick(harness.random, harness.requests);
  if (!sent) return undefined;
  const { actor, to, event } = sent;
  return { actor, act: () => harness.system[to](event), detail: `replay to ${to}` };
}

/** Sends a request whose body, time or signature was changed: it must be rejected before any work. */
function forgedRequest(harness: IsolationHarness): Operation | undefined {
  const sent = pick(harness.random, harness.requests);
  if (!sent) return undefined;
  const { to, event } = sent;
  const how = pick(harness.random, ['body', 'signature', 'unsigned', 'late']) ?? 'body';
  const headers = Object.fromEntries(
    Object.entries(event.headers).flatMap(([name, value]): [string, string][] => {
      if (!name.includes('signature')) return [[name, value]];
      if (how === 'unsigned') return [];
      // Discord has a separate header for the time.
      if (name.endsWith('timestamp'))
        return [[name, how === 'late' ? String(Number(value) - 100_000) : value]];
      return [
        [name, how === 'signature' ? value.replace(/.$/u, (last) => (last === '0' ? '1' : '0')) : value],
      ];
    }),
  );
  if (how === 'late' && headers['x-slack-request-timestamp'])
    headers['x-slack-request-timestamp'] = String(Number(headers['x-slack-request-timestamp']) - 100_000);
  const body =
    how === 'body' ? event.body.replace(/\d/u, (digit) => String((Number(digit) + 1) % 10)) : event.body;
  if (how === 'body' && body === event.body) return undefined;
  const act = async (): Promise<void> => {
    const { statusCode } = await harness.system[to]({ ...event, headers, body });
    if (statusCode !== 401)
      harness.checker.fail(`a request with a forged ${how} is answered with ${statusCode}`);
  };
  return { actor: NOBODY, act, detail: `${how} to ${to}` };
}

/** Installs the app, or tries to with a foreign state. */
export function install(harness: IsolationHarness): Operation | undefined {
  const of = pick(
    harness.random,
    harness.slack.filter(({ code }) => code !== undefined),
  );
  return of && installIn(harness, of, pick(harness.random, ['', '', 'state', 'cookie', 'old', 'code']) ?? '');
}

/** `forged` names the invalid part. */
function installIn(harness: IsolationHarness, of: SlackTenant, forged: string): Operation {
  const now = harness.time.now();
  const secret = forged === 'state' ? 'another secret' : CLIENT_SECRET;
  const state = installState(secret, forged === 'old' ? now - 3_600_000 : now);
  const cookie = forged === 'cookie' ? installState(CLIENT_SECRET, now - 1) : state;
  const code = forged === 'code' ? 'code-of-nobody' : (of.code ?? '');
  const base = { ...NOBODY, tenant: of.tenant, user: of.sim.identity.users[0]?.id ?? '', admin: true };
  const actor = { ...base, operation: forged === '' ? 'install' : 'forged install' };
  if (forged === '') harness.ownKeys.installApp(of.tenant);
  const act = async () =>
    harness.system.install({
      routeKey: 'GET /slack/oauth_redirect',
      cookies: [`__Host-parley-install=${await cookie}`],
      queryStringParameters: { code, state: await state },
      requestContext: { domainName: 'bot.example.com' },
    });
  return { actor, act, detail: forged };
}

/** Installs the app in every workspace except that of the deployment. */
export async function installAll(harness: IsolationHarness): Promise<void> {
  for (const of of harness.slack) {
    if (of.code !== undefined) await harness.settle(() => perform(installIn(harness, of, '')));
  }
}

const MAKES: readonly (readonly [number, MakeOperation])[] = [
  [14, slack.say],
  [6, slack.change],
  [16, slack.command],
  [10, (harness) => slack.press(harness)],
  [4, slack.shortcut],
  [6, slack.submit],
  [2, askSlackToForget],
  [2, confirmOnSlack],
  [3, reactOrOpenHome],
  [1, uninstall],
  [2, install],
  [12, discord.say],
  [5, discord.change],
  [14, discord.command],
  [9, (harness) => discord.press(harness)],
  [4, discord.menuCommand],
  [1, confirmOnDiscord],
  [5, discord.submit],
  [1, discord.leave],
  [1, discord.openThread],
  [3, repeatUpdate],
  [4, makeVideoOnSlack],
  [3, makeVideoOnDiscord],
  [12, callBack],
  [14, forgedPress],
  [8, replay],
  [12, forgedRequest],
];

/** A random operation of what is on in a new workspace. */
export const someOperation = (harness: IsolationHarness): Operation => chooseOperation(harness, MAKES);

/** What is on in a new workspace. */
export const EVERYTHING = { setUp: () => Promise.resolve(), operations: MAKES } as const;

/** Performs the operation as its actor. */
export const perform = ({ actor, act }: Operation): Promise<unknown> => ACTOR.run(actor, act);
