import * as v from 'valibot';
import type { Thread } from '../../../../domain/index.ts';
import { parseButton, threadIn } from '../../index.ts';
import { isThread, type RawChannel, rawChannel, type RawMessage, rawMessage } from './payload-schemas.ts';
import { FORBIDDEN, type Reads } from '../rest-reads.ts';
import { answersBot, type BotIdentity } from './message.ts';

/** How many channels, and how many messages in chains of replies, are kept in mind; whatever is not is asked for. */
const MAX_ENTRIES = 20_000;
/** How far up a chain of replies is followed. */
const HOPS = 10;

type Place = { readonly kind: 'plain' } | { readonly kind: 'thread'; readonly parent: string };

/**
 * Which conversation a message belongs to. On Discord a thread is a channel of its own. Its id is that of the message it was
 * opened from, so that a question and what follows it in its thread have one root, and the parent channel in common.
 */
export class ChannelDirectory {
  readonly #reads: Reads;
  readonly #places = new Map<string, Place>();
  /** The message that a chain of replies began with, by its members. */
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

  /** What is known without asking. */
  known(channel: string): Place['kind'] | undefined {
    return this.#places.get(channel)?.kind;
  }

  /**
   * Undefined when there is no such channel. One that the bot may not look up is taken for a plain one: something was written
   * there of which it was told. Rejects when Discord cannot be asked now.
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

  /** The conversation that a message is part of, or would begin. */
  async threadOf(message: RawMessage, me: BotIdentity): Promise<Thread | undefined> {
    const { channel_id: channel, guild_id: guild, id } = message;
    if (!guild) return threadIn(undefined, channel, channel);
    const place = await this.at(channel);
    if (place?.kind !== 'plain') return place && threadIn(guild, place.parent, channel);
    const root = await this.#rootOf(message, me);
    if (root !== id) keep(this.#roots, id, root);
    return threadIn(guild, channel, root);
  }

  /** The conversation of a message of which only the id is known. */
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

  /** Up a chain of replies, as long as the bot takes part in it: what people say among themselves begins nothing. */
  async #rootOf(message: RawMessage, me: BotIdentity): Promise<string> {
    let at = message;
    // What a command was answered with belongs to the conversation of the person who called it.
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

/** The conversation that the buttons under an answer carry: told without asking Discord, also where the answer is no reply. */
function rootOnButtons({ author, referenced_message: answer }: RawMessage): string | undefined {
  const ids = (answer?.components ?? []).flatMap(({ components }) => components ?? []);
  for (const { custom_id: id } of ids) {
    const root = parseButton(id ?? '')?.root;
    // Others may go on from a message; from what somebody called, they alone.
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
