import type { AccessChecker } from '../access-checker.ts';
import type { Actor, Audience } from '../access-model.ts';

/** The messages that somebody added to the knowledge of their channel. Everybody in the channel may read them, in each conversation. */
export class AddedMessages {
  readonly #checker: AccessChecker;
  readonly #mayAdd: (actor: Actor) => boolean;
  readonly #channels = new Map<string, Extract<Audience, { kind: 'channel' }>>();

  /** `mayAdd`: administrators have turned knowledge on for this person there. */
  constructor(checker: AccessChecker, mayAdd: (actor: Actor) => boolean) {
    this.#checker = checker;
    this.#mayAdd = mayAdd;
  }

  /** Somebody adds a message, with the texts of its files. `name` is unique. */
  add(actor: Actor, name: string, text: string): void {
    if (!this.#mayAdd(actor)) return;
    const { tenant, channel } = actor;
    const audience = { kind: 'channel', tenant, channel } as const;
    this.#channels.set(name, audience);
    for (const { marker, audience: before } of this.#checker.contentsIn(text)) {
      if (before.kind === 'conversation' && before.channel === channel)
        this.#checker.publish(marker, audience);
      // Only its person reads a direct channel, and may copy there what they read, such as their export.
      else if (channel.startsWith('D')) this.#checker.noteCopy(marker, channel);
    }
  }

  /** Who may read what an edit of a message says: `otherwise`, unless it was added. */
  audienceOf(name: string, otherwise: Audience): Audience {
    return this.#channels.get(name) ?? otherwise;
  }
}
