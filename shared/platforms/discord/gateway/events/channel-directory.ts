import * as v from 'valibot';
import type { Thread } from '../../../../domain/index.ts';
import { parseButton, threadIn } from '../../index.ts';
import { isThread, type RawChannel, rawChannel, type RawMessage, rawMessage } from './payload-schemas.ts';
import { FORBIDDEN, type Reads } from '../rest-reads.ts';
import { answersBot, type BotIdentity } from './message.ts';

/** How many channels, and how many messages of reply chains, are cached. Others are requested. */
const MAX_ENTRIES = 20_000;
/** How many messages of a reply chain are followed upwards. */
const HOPS = 10;

type Place = { readonly kind: 'plain' } | { readonly kind: 'thread'; readonly parent: string };

/**
 * Finds the conversation of a message. A thread of Discord is a channel with the id of the message from which it was created, so a question
 * and the messages in its thread have the same root and parent channel.
 */
export class ChannelDirectory {
  readonly #reads: Reads;
  readonly #places = new Map<string, Place>();
  /** The first message of a reply chain, by the ids of its messages. */
  readonly #roots = new Map<string, string>();

  constructor(reads: Reads) {
    this.#reads = reads;
  }

  learn(channel: RawChannel): void {
    const place: Place =
      isThread(channel) && channel.parent_id
        ? { kind: 'thread', parent: channel.parent_id }
        : { kind: 'plain' };
    keep(this.#places, channel.id, place);
  }

  forget(channel: string): void {
    this.#places.delete(channel);
  }

  /** The cached kind of a channel. */
  known(channel: string): Place['kind'] | undefined {
    return this.#places.get(channel)?.kind;
  }

  /**
   * Returns a channel; undefined if it does not exist. One that the bot may not look up counts as plain, since the bot received an event
   * of it. Rejects if Discord does not respond.
   */
  async at(channel: string): Promise<Place | undefined> {
    if (!this.#places.has(channel)) {
      const found = await this.#reads.channel(channel);
      if (found === FORBIDDEN) return { kind: 'plain' };
      const { success, output: data } = v.safeParse(rawChannel, found);
      if (success) this.learn(data);
    }
    return this.#places.get(channel);
  }

  /** The conversation that a message belongs to or would start. */
  async threadOf(message: RawMessage, me: BotIdentity): Promise<Thread | undefined> {
    const { channel_id: channel, guild_id: guild, id } = message;
    if (!guild) return threadIn(undefined, channel, channel);
    const place = await this.at(channel);
    if (place?.kind !== 'plain') return place && threadIn(guild, place.parent, channel);
    const root = await this.#rootOf(message, me);
    if (root !== id) keep(this.#roots, id, root);
    return threadIn(guild, channel, root);
  }

  /** The conversation of a message by its id. */
  async threadAt(
    channel: string,
    guild: string | null | undefined,
    message: string,
  ): Promise<Thread | undefined> {
    if (!guild) return threadIn(undefined, channel, channel);
    const place = await this.at(channel);
    if (!place) return undefined;
    return place.kind === 'thread'
      ? threadIn(guild, place.parent, channel)
      : threadIn(guild, channel, this.#roots.get(message) ?? message);
  }

  /** Follows a reply chain upwards, as long as messages reply to the bot: replies between people start no conversation. */
  async #rootOf(message: RawMessage, me: BotIdentity): Promise<string> {
    let at = message;
    // The response to a command belongs to the conversation of the person who used it.
    const caller = at.referenced_message?.interaction_metadata?.user?.id;
    if (answersBot(at, me) && caller !== undefined) return caller === at.author?.id ? `c${caller}` : at.id;
    for (let hop = 0; hop < HOPS && answersBot(at, me); hop += 1) {
      const named = rootOnButtons(at);
      if (named !== undefined) return named;
      const question = at.referenced_message?.message_reference?.message_id;
      if (!question) return at.id;
      const known = this.#roots.get(question);
      if (known) return known;
      const { success, output: data } = v.safeParse(
        rawMessage,
        await this.#reads.message(message.channel_id, question),
      );
      if (!success) return question;
      at = data;
    }
    return at.id;
  }
}

/** Reads the conversation from the buttons below an answer: without a request, and also if the answer is no reply. */
function rootOnButtons({ author, referenced_message: answer }: RawMessage): string | undefined {
  const ids = (answer?.components ?? []).flatMap(({ components }) => components ?? []);
  for (const { custom_id: id } of ids) {
    const root = parseButton(id ?? '')?.root;
    // Anybody may continue a conversation that started with a message. One that started with a command belongs to its person only.
    if (root !== undefined && (/^\d/.test(root) || root === `c${author?.id}`)) return root;
  }
  return undefined;
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_ENTRIES && oldest !== undefined) map.delete(oldest);
}
