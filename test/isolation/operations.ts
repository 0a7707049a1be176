import { installState } from '../fakes/install-state.ts';
import { type Json, stringOf } from '../simulators/discord/json.ts';
import { ACTOR } from './check.ts';
import { pick } from './commands.ts';
import { callBack } from './media-operations.ts';
import * as discord from './discord-operations.ts';
import type { Actor } from './model.ts';
import type { Operation } from './operation.ts';
import * as slack from './slack-operations.ts';
import { CLIENT_SECRET } from './secrets.ts';
import type { SlackTenant } from './slack-places.ts';
import type { World } from './world.ts';

type Make = (world: World) => Operation | undefined;

const NOBODY: Actor = {
  tenant: 'none',
  channel: 'none',
  conversation: '',
  user: 'nobody',
  admin: false,
  secret: false,
  operation: 'forged request',
};

/** Another control's text, or this one's with a sign changed, or cut. */
function forgedText(world: World, text: string, key: string): string {
  const other = stringOf(pick(world.random, world.actions)?.[key]);
  const at = Math.floor(world.random() * Math.max(text.length, 1));
  const sign = String.fromCodePoint(33 + Math.floor(world.random() * 90));
  return (
    pick(world.random, [
      other,
      other,
      other,
      text.slice(0, at) + sign + text.slice(at + 1),
      text.slice(0, at),
    ]) ?? ''
  );
}

function forgedPress(world: World): Operation | undefined {
  if (world.random() < 0.5)
    return slack.press(world, (action: Json): Json => {
      const other = pick(
        world.random,
        world.actions.filter((one) => 'action_id' in one),
      );
      if (world.random() < 0.5 && other) return { ...action, ...other, action_ts: action['action_ts'] ?? '' };
      return { ...action, value: forgedText(world, stringOf(action['value']), 'value') };
    });
  return discord.press(world, (data) => ({
    ...data,
    custom_id: forgedText(world, stringOf(data['custom_id']), 'custom_id'),
  }));
}

/** A request that was sent before comes again. */
function replay(world: World): Operation | undefined {
  const sent = pick(world.random, world.requests);
  if (!sent) return undefined;
  const { actor, to, event } = sent;
  return { actor, act: () => world.system[to](event), detail: `replay to ${to}` };
}

/** A request with a body, a moment or a signature that is not what was signed: refused before anything is done. */
function forgedRequest(world: World): Operation | undefined {
  const sent = pick(world.random, world.requests);
  if (!sent) return undefined;
  const { to, event } = sent;
  const how = pick(world.random, ['body', 'signature', 'unsigned', 'late']) ?? 'body';
  const headers = Object.fromEntries(
    Object.entries(event.headers).flatMap(([name, value]): [string, string][] => {
      if (!name.includes('signature')) return [[name, value]];
      if (how === 'unsigned') return [];
      // The time has a header of its own on Discord.
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
    const { statusCode } = await world.system[to]({ ...event, headers, body });
    if (statusCode !== 401)
      world.checker.fail(`a request with a forged ${how} is answered with ${statusCode}`);
  };
  return { actor: NOBODY, act, detail: `${how} to ${to}` };
}

/** Somebody installs the app, or tries to with a state that is not theirs. */
function install(world: World): Operation | undefined {
  const of = pick(
    world.random,
    world.slack.filter(({ code }) => code !== undefined),
  );
  return of && installIn(world, of, pick(world.random, ['', '', 'state', 'cookie', 'old', 'code']) ?? '');
}

/** `forged` names what is not as it should be. */
function installIn(world: World, of: SlackTenant, forged: string): Operation {
  const now = world.time.now();
  const secret = forged === 'state' ? 'another secret' : CLIENT_SECRET;
  const given = installState(secret, forged === 'old' ? now - 3_600_000 : now);
  const kept = forged === 'cookie' ? installState(CLIENT_SECRET, now - 1) : given;
  const code = forged === 'code' ? 'code-of-nobody' : (of.code ?? '');
  const base = { ...NOBODY, tenant: of.tenant, user: of.sim.identity.users[0]?.id ?? '', admin: true };
  const actor = { ...base, operation: forged === '' ? 'install' : 'forged install' };
  const act = async () =>
    world.system.install({
      routeKey: 'GET /slack/oauth_redirect',
      cookies: [`__Host-parley-install=${await kept}`],
      queryStringParameters: { code, state: await given },
      requestContext: { domainName: 'bot.example.com' },
    });
  return { actor, act, detail: forged };
}

/** Every workspace that the deployment is not itself for installs the app. */
export async function installAll(world: World): Promise<void> {
  for (const of of world.slack) {
    if (of.code !== undefined) await world.settle(() => perform(installIn(world, of, '')));
  }
}

const MAKES: readonly (readonly [number, Make])[] = [
  [14, slack.say],
  [6, slack.change],
  [16, slack.command],
  [10, (world) => slack.press(world)],
  [4, slack.shortcut],
  [6, slack.submit],
  [3, slack.aside],
  [1, slack.uninstall],
  [2, install],
  [12, discord.say],
  [5, discord.change],
  [14, discord.command],
  [9, (world) => discord.press(world)],
  [4, discord.menuCommand],
  [5, discord.submit],
  [1, discord.leave],
  [1, discord.openThread],
  [4, callBack],
  [14, forgedPress],
  [8, replay],
  [12, forgedRequest],
];
const TOTAL = MAKES.reduce((sum, [weight]) => sum + weight, 0);

/** Something that somebody does, made up by chance. */
export function someOperation(world: World): Operation {
  for (;;) {
    let left = world.random() * TOTAL;
    for (const [weight, make] of MAKES) {
      left -= weight;
      if (left >= 0) continue;
      const made = make(world);
      if (made) return made;
      break;
    }
  }
}

/** Does it as whoever does it. */
export const perform = ({ actor, act }: Operation): Promise<unknown> => ACTOR.run(actor, act);
