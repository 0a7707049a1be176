import { ACTOR, type AccessChecker } from '../access-checker.ts';
import type { Actor, Content } from '../access-model.ts';

/** What the model must know of a place. */
export type SearchedPlaces = {
  /** Everybody in the tenant may read this channel. */
  readonly isOpen: (tenant: string, channel: string) => boolean;
  /** People of other organizations read it too. */
  readonly isShared: (tenant: string, channel: string) => boolean;
  /** Administrators have turned the search on for this person there. */
  readonly mayUse: (actor: Actor) => boolean;
};

/** What the search of messages finds: whose messages, from where, and for whom. */
export class FoundMessages {
  /** How many messages were found. */
  count = 0;
  readonly #checker: AccessChecker;
  readonly #places: SearchedPlaces;
  readonly #forgotten = new Set<string>();

  constructor(checker: AccessChecker, places: SearchedPlaces) {
    this.#checker = checker;
    this.#places = places;
  }

  /** The person has everything of theirs in the tenant erased: no search finds what they wrote before. */
  forget({ tenant, user }: Actor): void {
    for (const marker of this.#checker.markersOf(tenant, user)) this.#forgotten.add(marker);
  }

  /** A model reads these results. `races`: other operations run at the same time. */
  note(results: string, races: boolean): void {
    const actor = ACTOR.getStore();
    if (!actor) return;
    for (const content of this.#checker.contentsIn(results)) {
      this.count += 1;
      this.#checker.checks += 1;
      const why = this.#forbidden(content, actor, races);
      if (why === undefined) this.#checker.noteFound(content.marker, actor.conversation);
      else this.#checker.fail(`a search finds ${why} (${content.marker})`);
    }
  }

  #forbidden({ audience, marker, owner }: Content, actor: Actor, races: boolean): string | undefined {
    const { tenant, channel, user } = actor;
    if (audience.tenant !== tenant) return `a message of ${audience.tenant} in ${tenant}`;
    if (this.#places.isShared(tenant, channel)) return `messages in ${channel}, where others read too`;
    if (!this.#places.mayUse(actor)) return `messages for ${user}, for whom it is off`;
    if (this.#forgotten.has(marker) && !races) return `what ${owner} wrote before it was forgotten`;
    if (audience.kind === 'conversation') {
      // Discord also searches the channel of the question, whose readers may read it.
      const isHere = audience.channel === channel && /^\d/u.test(tenant);
      return isHere || this.#places.isOpen(tenant, audience.channel)
        ? undefined
        : `a message of ${audience.channel}`;
    }
    return `what is for ${audience.kind}`;
  }
}
