import type { Actor } from '../access-model.ts';
import { pressDiscordCard, pressSlackCard } from '../card-operations.ts';
import { type ChooseCommand, chooseWeighted, pick } from '../commands.ts';
import * as discordActor from '../discord-actor.ts';
import * as discord from '../discord-operations.ts';
import { GUILDS } from '../discord-tenants.ts';
import type { IsolationHarness } from '../harness.ts';
import type { Operation } from '../operation.ts';
import type { SeededBug } from '../bug-parts.ts';
import * as slackActor from '../slack-actor.ts';
import * as slack from '../slack-operations.ts';
import { administers } from '../slack-tenants.ts';

export type MakeOperation = (harness: IsolationHarness) => Operation | undefined;

/** What a run is about. */
export type Feature = {
  /** What administrators turn on before the run. */
  readonly setUp: (
    harness: IsolationHarness,
    perform: (operation: Operation) => Promise<void>,
  ) => Promise<void>;
  /** Its operations, with their weights. */
  readonly operations: readonly (readonly [number, MakeOperation])[];
  /** The address of the API; absent: the deployment has none, and channels have no webhooks. */
  readonly apiUrl?: string;
  /** Bugs that a run must detect. */
  readonly bugs: readonly SeededBug[];
};

/** A random one of these operations. */
export function chooseOperation(harness: IsolationHarness, from: Feature['operations']): Operation {
  for (;;) {
    const operation = chooseWeighted(harness.random, from)(harness);
    if (operation) return operation;
  }
}

/** Somebody types a command of a feature, somewhere. */
export const typing =
  (choose: ChooseCommand): MakeOperation =>
  (harness) =>
    harness.random() < 0.6
      ? slack.commandBy(harness, slackActor.pickActor(harness), choose)
      : discord.commandBy(harness, discordActor.pickActor(harness), choose);

/** The same, by an administrator in a channel of all members, who therefore may. */
export const typingAsAdmin =
  (choose: ChooseCommand): MakeOperation =>
  (harness) =>
    pick(harness.random, everyAdmin(harness))?.(choose);

type TypeAsAdmin = (choose: ChooseCommand) => Operation | undefined;

/** An administrator of each tenant, in a channel of all members. */
export const everyAdmin = (harness: IsolationHarness): readonly TypeAsAdmin[] => [
  ...harness.slack.map((of): TypeAsAdmin => {
    const user = of.sim.identity.users.find(({ id }) => administers(of, id))?.id ?? '';
    return (choose) => slack.commandBy(harness, { of, user, channel: of.sim.channel }, choose);
  }),
  ...GUILDS.map((guild, nth): TypeAsAdmin => {
    const owner = harness.discord.state.users.get(harness.discord.state.guilds.get(guild)?.owner ?? '');
    const channel = `30100000000000000${nth + 1}`;
    return (choose) => owner && discord.commandBy(harness, { user: owner, channel }, choose);
  }),
];

/** Somebody asks in a message, on either platform. */
export const asking: MakeOperation = (harness) =>
  harness.random() < 0.6 ? slack.say(harness) : discord.say(harness);

const forgetMe: ChooseCommand = () => ({
  name: 'forget',
  options: { what: 'me' },
  secret: true,
  operation: 'forget',
});

/** Only they press it. */
export const onlyReader = ({
  ephemeralTo,
}: {
  readonly ephemeralTo?: string | undefined;
}): string | undefined => ephemeralTo;

/** Asks to have everything about oneself erased, or confirms it. */
export const forgettingMe: MakeOperation = (harness) => {
  if (harness.random() < 0.4) return typing(forgetMe)(harness);
  return harness.random() < 0.6
    ? pressSlackCard(harness, /forget\.me\b/u, onlyReader)
    : pressDiscordCard(harness, /forget\.me\b/u, onlyReader);
};

/** The same actor with another operation. */
export const actingAs = (actor: Actor, operation: string): Actor => ({ ...actor, operation });
