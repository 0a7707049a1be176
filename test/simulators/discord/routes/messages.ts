import { FLAG, MESSAGE, PERMISSION } from '../flags.ts';
import { type Json, listOf, numberOf, stringOf } from '../json.ts';
import { change, post } from '../posting.ts';
import { presentMessage, presentNew } from '../present.ts';
import { record } from '../record.ts';
import { RefusalError, refuseFaults } from '../refusal.ts';
import { bot, type Call, done, ok, type Routes } from '../route.ts';
import { byAge, isSnowflake, momentOf } from '../snowflakes.ts';
import type { Channel, Message } from '../state.ts';
import { CHANNEL } from '../flags.ts';
import { insist, may, messageChannelOf } from '../permissions.ts';
import { isArchived, isThread, messageOf, type SimulatorContext } from '../context.ts';
import { opennessOf, withoutIntent } from '../dispatch.ts';

/** How long a nonce is remembered: "the last few minutes". */
const NONCE_LIFE_MS = 300_000;
const EDITS_OF_OLD_MOST = 50;
const HOUR_MS = 3_600_000;

const here = ({ context, at }: Call): Channel => messageChannelOf(context, at('channel_id'));

/** A message as the bot may read it. */
const presentFor = (context: SimulatorContext, message: Message): Json => {
  const json = presentMessage(context, message);
  return context.portal.messageContent ? json : withoutIntent(json, opennessOf(context, message));
};

export const MESSAGES: Routes = {
  'GET /channels/{channel_id}/messages': bot(5, 1_000, (call) => ok(list(call))),
  'POST /channels/{channel_id}/messages': bot(5, 5_000, (call) => ok(create(call))),
  'GET /channels/{channel_id}/messages/{message_id}': bot(5, 1_000, (call) => {
    const channel = here(call);
    if (!may(call.context, channel, PERMISSION.readHistory)) throw new RefusalError(50013);
    return ok(presentFor(call.context, messageOf(call.context, channel, call.at('message_id'))));
  }),
  'PATCH /channels/{channel_id}/messages/{message_id}': bot(5, 5_000, (call) => ok(edit(call))),
  'DELETE /channels/{channel_id}/messages/{message_id}': bot(5, 1_000, (call) => {
    const channel = here(call);
    const message = messageOf(call.context, channel, call.at('message_id'));
    if (message.author !== call.context.identity.applicationId) {
      if (channel.guild === undefined) throw new RefusalError(50003);
      insist(call.context, channel, PERMISSION.manageMessages);
    }
    refuseAsleep(call.context, channel);
    record(call.context, { kind: 'removal', channel: channel.id, id: message.id });
    return done;
  }),
  'POST /channels/{channel_id}/typing': bot(5, 5_000, (call) => {
    const channel = here(call);
    insist(call.context, channel, speaking(channel));
    const until = call.context.now() + 10_000;
    record(call.context, {
      kind: 'typing',
      channel: channel.id,
      user: call.context.identity.applicationId,
      until,
    });
    return done;
  }),
};

const speaking = (channel: Channel): bigint =>
  isThread(channel) ? PERMISSION.sendInThreads : PERMISSION.sendMessages;

/** Nothing changes in an archived thread. */
export function refuseAsleep(context: SimulatorContext, channel: Channel): void {
  refuseClosed(context, channel);
  if (isThread(channel) && isArchived(context, channel)) throw new RefusalError(50083);
}

/** A locked thread accepts nothing from people who may not manage it; an archived one is unarchived. */
export function refuseClosed(context: SimulatorContext, channel: Channel): void {
  if (!isThread(channel) || channel.locked !== true || may(context, channel, PERMISSION.manageThreads))
    return;
  throw new RefusalError(isArchived(context, channel) ? 50083 : 160005);
}

function create(call: Call): Json {
  const { context, body } = call;
  const { json } = body;
  const channel = here(call);
  if (channel.type === CHANNEL.forum) throw new RefusalError(50008);
  if (channel.recipient !== undefined && context.state.users.get(channel.recipient)?.closed === true)
    throw new RefusalError(50007);
  insist(context, channel, speaking(channel));
  if ((numberOf(json['flags']) & FLAG.voice) !== 0 && !may(context, channel, PERMISSION.sendVoice))
    throw new RefusalError(50173);
  else if (body.uploads.length > 0 && (numberOf(json['flags']) & FLAG.voice) === 0)
    insist(context, channel, PERMISSION.attachFiles);
  if (json['message_reference'] && !may(context, channel, PERMISSION.readHistory))
    throw new RefusalError(160002);
  refuseClosed(context, channel);
  const before = sameNonce(context, channel, json);
  if (before) return presentNew(context, before);
  const allowed = embeddable(context, channel, json);
  return presentNew(context, post(context, channel, body, allowed, { way: 'create', type: MESSAGE.plain }));
}

function sameNonce(
  context: SimulatorContext,
  channel: Channel,
  { nonce, enforce_nonce: enforced }: Json,
): Message | undefined {
  if (enforced !== true || nonce === undefined || nonce === null) return undefined;
  const messages = [...(context.state.messages.get(channel.id)?.values() ?? [])];
  return messages.find(
    (message) => message.nonce === nonce && context.now() - momentOf(message.id) < NONCE_LIFE_MS,
  );
}

function edit(call: Call): Json {
  const { context, body, at } = call;
  const channel = here(call);
  const message = messageOf(context, channel, at('message_id'));
  if (message.author !== context.identity.applicationId) throw new RefusalError(50005);
  if (message.type === MESSAGE.threadStarter) throw new RefusalError(50021);
  refuseAsleep(context, channel);
  refuseOldEdits(context, message);
  if (body.uploads.length > 0) insist(context, channel, PERMISSION.attachFiles);
  return presentMessage(
    context,
    change(context, channel, message, body, embeddable(context, channel, body.json)),
  );
}

/**
 * Without the permission Embed Links, embeds are removed; a message of embeds only is refused. See
 * discord-api-docs#2601.
 */
function embeddable(context: SimulatorContext, channel: Channel, json: Json): Json {
  if (listOf(json['embeds']).length === 0 || may(context, channel, PERMISSION.embedLinks)) return json;
  if (stringOf(json['content']) === '') throw new RefusalError(50013);
  return { ...json, embeds: [] };
}

const oldEdits = new WeakMap<SimulatorContext, number[]>();

/** Edits of messages older than an hour are limited; the limit is not documented. */
function refuseOldEdits(context: SimulatorContext, message: Message): void {
  if (context.now() - momentOf(message.id) < HOUR_MS) return;
  const recent = (oldEdits.get(context) ?? []).filter((time) => context.now() - time < HOUR_MS);
  if (recent.length >= EDITS_OF_OLD_MOST) throw new RefusalError(30046);
  oldEdits.set(context, [...recent, context.now()]);
}

function list(call: Call): Json[] {
  const { context, query } = call;
  const channel = here(call);
  if (!may(context, channel, PERMISSION.readHistory)) return [];
  const limit = query.has('limit') ? Number(query.get('limit')) : 50;
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    refuseFaults([
      { at: ['limit'], code: 'NUMBER_TYPE_MAX', message: 'int value should be between 1 and 100.' },
    ]);
  const all = [...(context.state.messages.get(channel.id)?.values() ?? [])]
    .filter(({ ephemeralTo }) => ephemeralTo === undefined)
    .toSorted(byAge);
  const page = window(all, query, limit);
  return page.toReversed().map((message) => presentFor(context, message));
}

/** Oldest first, at most `limit`. */
function window(all: readonly Message[], query: URLSearchParams, limit: number): Message[] {
  const anchor = (name: string): bigint | undefined => {
    const value = query.get(name);
    return isSnowflake(value) || value === '0' ? BigInt(value) : undefined;
  };
  const [around, before, after] = [anchor('around'), anchor('before'), anchor('after')];
  if (around !== undefined) {
    const split = all.findIndex(({ id }) => BigInt(id) >= around);
    const middle = split === -1 ? all.length : split;
    const from = Math.max(0, middle - Math.floor(limit / 2));
    return all.slice(from, from + limit);
  }
  if (before !== undefined) return all.filter(({ id }) => BigInt(id) < before).slice(-limit);
  if (after !== undefined) return all.filter(({ id }) => BigInt(id) > after).slice(0, limit);
  return all.slice(-limit);
}
