import { ACTOR } from './access-checker.ts';
import { type Audience } from './access-model.ts';
import { type ChooseCommand, pick } from './commands.ts';
import { addDeniedChannels, changeAccess } from './denied-channels.ts';
import * as discordActor from './discord-actor.ts';
import { commandBy } from './discord-operations.ts';
import { isOpen, tenantOf } from './discord-tenants.ts';
import type { IsolationHarness } from './harness.ts';
import type { Operation } from './operation.ts';
import { someOperation } from './operations.ts';
import { type SeededBug, worker } from './bug-parts.ts';
import { actorOf, FORM, pickActor, posting, type SlackActor } from './slack-actor.ts';
import * as slack from './slack-operations.ts';
import { administers } from './slack-tenants.ts';
import { asking, everyAdmin, type Feature, type MakeOperation } from './features/feature.ts';
import { userId } from '../../shared/domain/index.ts';
import { stringOf } from '../simulators/slack/state.ts';

/** A person types a command about memory. */
function typing(harness: IsolationHarness, at: SlackActor, line: string, operation = 'memory'): Operation {
  const actor = actorOf(harness, at, operation, `call-${harness.nextId()}`);
  const fields = at.of.sim.command(at.user, `/parley ${line}`, at.channel);
  const body = new URLSearchParams(
    Object.entries(fields).map(([key, value]): [string, string] => [key, stringOf(value)]),
  ).toString();
  return { actor, act: posting(harness, actor, [[body, FORM]]), detail: line };
}

/** Memory is allowed in every workspace, and everybody turns it on. */
async function turnMemoryOn(
  harness: IsolationHarness,
  perform: (operation: Operation) => Promise<void>,
): Promise<void> {
  for (const of of harness.slack) {
    const people = of.sim.identity.users.map(({ id }) => id);
    const at = (user: string): SlackActor => ({ of, user, channel: of.sim.channel });
    const admin = people.find((user) => administers(of, user)) ?? '';
    const first = typing(harness, at(admin), 'settings memory on for:workspace', 'setting of memory');
    for (const operation of [
      first,
      ...people.map((user) => typing(harness, at(user), 'memory on', 'setting of memory')),
    ])
      await perform(operation);
  }
  addDeniedChannels(harness);
  const { state } = harness.discord;
  for (const type of everyAdmin(harness)) {
    const allow = type(() => ({
      name: 'settings',
      options: { name: 'memory', value: 'on', for: 'workspace' },
      operation: 'setting of memory',
    }));
    if (!allow || !state.guilds.has(allow.actor.tenant)) continue;
    await perform(allow);
    for (const user of state.users.values()) {
      if (user.bot === true) continue;
      const turnOn = commandBy(harness, { user, channel: allow.actor.channel }, memory({ do: 'on' }, true));
      if (turnOn) await perform(turnOn);
    }
  }
}

const memory =
  (options: Readonly<Record<string, string>>, isSetting = false): ChooseCommand =>
  () => ({ name: 'memory', options, operation: isSetting ? 'setting of memory' : 'memory' });

/** Adds a fact in a guild, or in a direct message, where nothing is remembered. */
function addDiscordFact(harness: IsolationHarness): Operation | undefined {
  const at = discordActor.pickActor(harness);
  const tenant = tenantOf(harness.discord, at.channel);
  const user = at.user.id;
  const isPublic = isOpen(harness.discord, at.channel);
  const audience: Audience = isPublic ? { kind: 'tenant', tenant } : { kind: 'direct', tenant, user };
  const text = `I like ${harness.checker.plant(audience, user)}`;
  return commandBy(harness, at, memory({ do: 'add', text }));
}

const listOrClearOnDiscord: MakeOperation = (harness) =>
  commandBy(
    harness,
    discordActor.pickActor(harness),
    memory({ do: pick(harness.random, ['list', 'list', 'clear']) ?? 'list' }),
  );

/** Adds a fact, in public or in private. */
function addFact(harness: IsolationHarness): Operation {
  const at = pickActor(harness);
  const { of, user, channel } = at;
  const { tenant } = of;
  const isPublic = of.sim.state.channels.get(channel)?.kind === 'channel';
  // A public fact may be in an answer, which others continue; whose facts are read, the keys show.
  const audience: Audience = isPublic ? { kind: 'tenant', tenant } : { kind: 'direct', tenant, user };
  return typing(harness, at, `memory add I like ${harness.checker.plant(audience, user)}`);
}

const listOrClear = (harness: IsolationHarness): Operation =>
  typing(harness, pickActor(harness), pick(harness.random, ['memory', 'memory clear']) ?? 'memory');

/** Bugs of memory that a run has to detect. */
const FACT_BUGS: readonly SeededBug[] = [
  {
    name: 'private facts are used everywhere',
    system: (system) => {
      const { facts } = system.context;
      const list: typeof facts.list = async (...of) =>
        (await facts.list(...of)).map((fact) => ({ ...fact, isPrivate: false }));
      return { ...system, context: { ...system.context, facts: withList(facts, list) } };
    },
  },
  {
    name: 'every channel counts as public',
    system: (system) => ({
      ...system,
      context: { ...system.context, isPublicChannel: () => Promise.resolve(true) },
    }),
  },
  {
    name: 'every channel of Discord counts as public',
    system: worker(({ isPublicChannel }) => ({
      isPublicChannel: async (place) => place.platform === 'discord' || isPublicChannel(place),
    })),
  },
  {
    name: 'the facts of somebody else are used',
    system: (system) => {
      const { facts } = system.context;
      let last = ACTOR.getStore()?.user;
      const list: typeof facts.list = (owner, days) => {
        const before = last ?? owner.user;
        last = owner.user;
        return facts.list({ ...owner, user: userId(before) }, days);
      };
      return { ...system, context: { ...system.context, facts: withList(facts, list) } };
    },
  },
];

/** What is remembered about people. */
export const FACTS: Feature = {
  setUp: turnMemoryOn,
  operations: [
    [24, slack.say],
    [20, asking],
    [15, someOperation],
    [4, listOrClear],
    [3, listOrClearOnDiscord],
    [1, changeAccess],
    [22, addFact],
    [14, addDiscordFact],
  ],
  bugs: FACT_BUGS,
};

type Facts = Parameters<NonNullable<SeededBug['system']>>[0]['context']['facts'];

const withList = (facts: Facts, list: Facts['list']): Facts => ({
  list,
  add: (...of) => facts.add(...of),
  edit: (...of) => facts.edit(...of),
  remove: (...of) => facts.remove(...of),
  clear: (...of) => facts.clear(...of),
});
