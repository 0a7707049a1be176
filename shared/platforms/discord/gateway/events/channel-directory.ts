import * as v from 'valibot';
import type { Thread } from '../../../../domain/index.ts';
import { parseButton, toThread } from '../../index.ts';
import { isThread, type RawChannel, rawChannel, type RawMessage, rawMessage } from './payload-schemas.ts';
import { FORBIDDEN, type GatewayReads } from '../rest-reads.ts';
import { isReplyToBot, type BotIdentity } from './message.ts';

/** How many channels, and how many messages of reply chains, are cached. Others are requested. */
const MAX_ENTRIES = 20_000;
/** How many messages of a reply chain are followed upwards. */
const MAX_REPLY_HOPS = 10;

type KnownChannel = { readonly kind: 'plain' } | { readonly kind: 'thread'; readonly parent: string };

/**
 * Finds the conversation of a message. A thread of Discord is a channel with the id of the message from which it was created, so a question
 * and the messages in its thread have the same root and parent channel.
 */
export class ChannelDirectory {
  readonly #reads: GatewayReads;
  readonly #channels = new Map<string, KnownChannel>();
  /** The first message of a reply chain, by the ids of its messages. */
  readonly #roots = new Map<string, string>();

  constructor(reads: GatewayReads) {
    this.#reads = reads;
  }

  add(channel: RawChannel): void {
    const place: KnownChannel =
      isThread(channel) && channel.parent_id
        ? { kind: 'thread', parent: channel.parent_id }
        : { kind: 'plain' };
    setBounded(this.#channels, channel.id, place);
  }

  remove(channel: string): void {
    this.#channels.delete(channel);
  }

  /** The cached kind of a channel. */
  knownKind(channel: string): KnownChannel['kind'] | undefined {
    return this.#channels.get(channel)?.kind;
  }

  /**
   * Returns a channel; undefined if it does not exist. One that the bot may not look up counts as plain, since the bot received an event
   * of it. Rejects if Discord does not respond.
   */
  async find(channel: string): Promise<KnownChannel | undefined> {
    if (!this.#channels.has(channel)) {
      const response = await this.#reads.channel(channel);
      if (response === FORBIDDEN) return { kind: 'plain' };
      const { success, output: data } = v.safeParse(rawChannel, response);
      if (success) this.add(data);
    }
    return this.#channels.get(channel);
  }

  /** The conversation that a message belongs to or would start. */
  async findThread(message: RawMessage, bot: BotIdentity): Promise<Thread | undefined> {
    const { channel_id: channel, guild_id: guild, id } = message;
    if (!guild) return toThread(undefined, channel, channel);
    const place = await this.find(channel);
    if (place?.kind !== 'plain') return place && toThread(guild, place.parent, channel);
    const root = await this.#findRoot(message, bot);
    if (root !== id) setBounded(this.#roots, id, root);
    return toThread(guild, channel, root);
  }

  /** The conversation of a message by its id. */
  async findThreadById(
    channel: string,
    guild: string | null | undefined,
    message: string,
  ): Promise<Thread | undefined> {
    if (!guild) return toThread(undefined, channel, channel);
    const place = await this.find(channel);
    if (!place) return undefined;
    return place.kind === 'thread'
      ? toThread(guild, place.parent, channel)
      : toThread(guild, channel, this.#roots.get(message) ?? message);
  }

  /** Follows a reply chain upwards, as long as messages reply to the bot: replies between people start no conversation. */
  async #findRoot(message: RawMessage, bot: BotIdentity): Promise<string> {
    let current = message;
    // The response to a command belongs to the conversation of the person who used it.
    const caller = current.referenced_message?.interaction_metadata?.user?.id;
    if (isReplyToBot(current, bot) && caller !== undefined)
      return caller === current.author?.id ? `c${caller}` : current.id;
    for (let hop = 0; hop < MAX_REPLY_HOPS && isReplyToBot(current, bot); hop += 1) {
      const buttonRoot = rootFromButtons(current);
      if (buttonRoot !== undefined) return buttonRoot;
      const question = current.referenced_message?.message_reference?.message_id;
      if (!question) return current.id;
      const known = this.#roots.get(question);
      if (known) return known;
      const { success, output: data } = v.safeParse(
        rawMessage,
        await this.#reads.message(message.channel_id, question),
      );
      if (!success) return question;
      current = data;
    }
    return current.id;
  }
}

/** Reads the conversation from the buttons below an answer: without a request, and also if the answer is no reply. */
function rootFromButtons({ author, referenced_message: answer }: RawMessage): string | undefined {
  const ids = (answer?.components ?? []).flatMap(({ components }) => components ?? []);
  for (const { custom_id: id } of ids) {
    const root = parseButton(id ?? '')?.root;
    // Anybody may continue a conversation that started with a message. One that started with a command belongs to its person only.
    if (root !== undefined && (/^\d/.test(root) || root === `c${author?.id}`)) return root;
  }
  return undefined;
}

function setBounded<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_ENTRIES && oldest !== undefined) map.delete(oldest);
}
