import { isJson } from '../simulators/slack/state.ts';
import type { Discord } from '../simulators/discord/index.ts';
import { ACTOR, type AccessChecker } from './access-checker.ts';
import { membersIn as discordMembers, tenantOf } from './discord-tenants.ts';
import { type Actor, type Reader, SIGNED_IN } from './access-model.ts';
import { membersIn, type SlackTenant } from './slack-tenants.ts';

/** The record of what people see. */
export type ObservationContext = {
  readonly checker: AccessChecker;
  readonly discord: Discord;
  /** The conversation of each message of the bot by its id, and who caused it. */
  readonly conversations: Map<string, string>;
  readonly origins: Map<string, Actor>;
};

/** Compares everything that people see in a workspace with the model. */
export function observeSlack(of: SlackTenant, harness: ObservationContext): void {
  const { sim, tenant } = of;
  const { checker } = harness;
  const readerOf = (channel: string, only: string | undefined): Reader => {
    const members = membersIn(of, channel);
    const user = only ?? onlyOne(members);
    return user === undefined
      ? { kind: 'channel', tenant, channel, members }
      : { kind: 'person', tenant, user };
  };
  const inFiles = (ids: readonly string[], reader: Reader): void => {
    for (const id of ids) {
      const words = Buffer.from(sim.state.files.get(id)?.content ?? '', 'base64').toString();
      readFile(words, reader, checker);
    }
  };
  sim.onChange((change) => {
    if (change.kind === 'message' && change.message.user === sim.identity.botUserId) {
      const { channel, ephemeralTo, text, blocks = [], files = [], ts, thread, steps = [] } = change.message;
      const name = slackName(tenant, channel, ts);
      const actor = ACTOR.getStore();
      if (actor && thread === undefined && !harness.conversations.has(name))
        harness.conversations.set(name, actor.conversation);
      if (actor && !harness.origins.has(name)) harness.origins.set(name, actor);
      const reader = readerOf(channel, ephemeralTo);
      checkPlace(reader, checker);
      checker.read(
        `${text} ${JSON.stringify(blocks)} ${JSON.stringify(steps)}`,
        reader,
        `message in ${tenant}`,
      );
      inFiles(files, reader);
    } else if (change.kind === 'growth') {
      const message = sim.state.messages.get(change.channel)?.get(change.ts);
      checker.read(
        message?.text ?? change.text,
        readerOf(change.channel, message?.ephemeralTo),
        `stream in ${tenant}`,
      );
    } else if (change.kind === 'view') {
      const reader = { kind: 'person', tenant, user: change.view.user } as const;
      const actor = ACTOR.getStore();
      if (actor) harness.origins.set(change.view.id, actor);
      checker.read(
        JSON.stringify(isJson(change.view.view) ? change.view.view : {}),
        reader,
        `form in ${tenant}`,
      );
    } else if (change.kind === 'status') {
      checker.read(change.status.words, readerOf(change.status.channel, undefined), `status in ${tenant}`);
    }
  });
}

/** Compares everything that people see in Discord with the model. */
export function observeDiscord(harness: ObservationContext): void {
  const { discord, checker } = harness;
  const { state, identity } = discord;
  const readerOf = (channel: string, only: string | undefined): Reader => {
    const tenant = tenantOf(discord, channel);
    const members = discordMembers(discord, channel);
    const user = only ?? onlyOne(members);
    if (user !== undefined) return { kind: 'person', tenant, user };
    return { kind: 'channel', tenant, channel: placeOf(harness, channel), members };
  };
  discord.onChange((change) => {
    if (change.kind === 'message' && change.message.author === identity.applicationId) {
      const { id, channel, ephemeralTo, content, components, embeds, files } = change.message;
      const actor = ACTOR.getStore();
      if (actor && !harness.conversations.has(id)) harness.conversations.set(id, actor.conversation);
      if (actor && !harness.origins.has(id)) harness.origins.set(id, actor);
      const reader = readerOf(channel, ephemeralTo);
      checkPlace(reader, checker);
      const visibleText = `${content} ${JSON.stringify(components)} ${JSON.stringify(embeds)}`;
      checker.read(visibleText, reader, `message in ${reader.tenant}`);
      for (const file of files) {
        const words = Buffer.from(state.files.get(file)?.content ?? '', 'base64').toString();
        readFile(words, reader, checker);
      }
    } else if (change.kind === 'interaction' && change.interaction.shown) {
      const { user, channel, shown } = change.interaction;
      const reader = { kind: 'person', tenant: tenantOf(discord, channel), user } as const;
      checker.read(JSON.stringify(shown), reader, `form in ${reader.tenant}`);
    }
  });
}

/**
 * Checks that a message of the bot appears or changes where its actor can be: in their tenant, in a channel with them. Administrators
 * change all videos of their tenant, also by a forged control. A video is posted where it was asked for, also if the person has lost the
 * channel since.
 */
function checkPlace(reader: Reader, checker: AccessChecker): void {
  const actor = ACTOR.getStore();
  if (!actor || reader.kind === 'export' || reader.kind === 'prompt' || reader.kind === 'integration') return;
  checker.checks += 1;
  const people = reader.kind === 'person' ? [reader.user] : reader.members;
  if (actor.operation === 'ask over the API') {
    const channel = reader.kind === 'channel' ? reader.channel : 'a direct message';
    if (reader.tenant !== actor.tenant || channel !== actor.channel)
      checker.fail(`an integration writes in ${channel}`);
    return;
  }
  // Where the bot may not write, and when the token of a private answer or of an export has expired, it tells the person in a direct message.
  const isAsked =
    reader.tenant === '@me' &&
    /^(?:say|reply|reply changed|reply by a press|ask|ask privately|export me|export thread)$/u.test(
      actor.operation,
    );
  const isTold = isAsked || actor.operation === SIGNED_IN || actor.operation.startsWith('scheduled run');
  const isNotice = isTold && reader.kind === 'person' && reader.user === actor.user;
  if (reader.tenant !== actor.tenant && !isNotice)
    checker.fail(`a message in ${reader.tenant} by ${actor.tenant}`);
  else if (!people.includes(actor.user) && !mayPostVideo(reader, actor))
    checker.fail(`a message to ${people.join()} by ${actor.user}`);
}

const mayPostVideo = (reader: Reader, { admin, channel, operation }: Actor): boolean =>
  admin
    ? /^(?:system: )?video/u.test(operation)
    : operation.startsWith('system: video') && reader.kind === 'channel' && reader.channel === channel;

/** Two tenants have messages with the same id in channels with the same id. */
export const slackName = (tenant: string, channel: string, ts: string): string =>
  `${tenant} ${channel} ${ts}`;

/** The person of a direct message with the bot: only they see its messages. */
const onlyOne = (members: readonly string[]): string | undefined =>
  members.length === 1 ? members[0] : undefined;

/** A Discord thread counts as its parent channel. */
export const placeOf = ({ discord }: Pick<ObservationContext, 'discord'>, channel: string): string =>
  discord.state.channels.get(channel)?.parent ?? channel;

/** A question keeps the titles of the documents that its search found, and no passages of them (docs/knowledge.md). */
const FOUND_TITLE = /"title": "(?:[^"\\]|\\.)*",\s*(?="url")/gu;

/** Compares a file with the model. An export contains nothing of other people. */
function readFile(words: string, reader: Reader, checker: AccessChecker): void {
  const actor = ACTOR.getStore();
  const where = `file in ${reader.tenant}`;
  if (!actor?.operation.startsWith('export ')) return checker.read(words, reader, where);
  // Late, it comes as a direct message to whoever asked for it.
  const isLate = reader.kind === 'person' && reader.tenant === '@me' && reader.user === actor.user;
  const tenant = isLate ? actor.tenant : reader.tenant;
  if (actor.operation === 'export thread') return checker.read(words, { ...reader, tenant }, where);
  const own = { kind: 'export', tenant, user: actor.user } as const;
  checker.read(words.replaceAll(FOUND_TITLE, ''), own, where);
}
