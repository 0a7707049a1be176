import * as v from 'valibot';
import type { RawGuild } from './payload-schemas.ts';

const kept = v.array(v.tuple([v.string(), v.nullable(v.string())]));

/**
 * The guilds that the bot is in, with the role that Discord made for it in each. Outlives the process: a guild that a new session
 * no longer lists has put the bot out while nobody was told.
 */
export class Guilds {
  readonly #roles = new Map<string, string | null>();
  /** Left, and on the list until that is handed over: a process that died in between finds them missing again. */
  readonly #leaving = new Set<string>();

  /** Adds what `text` wrote; what is no such text adds nothing. */
  read(text: string): void {
    for (const [guild, role] of parsed(text)) this.#roles.set(guild, role);
  }

  text(): string {
    return JSON.stringify([...this.#roles]);
  }

  /** The bot's role there, if it has one. */
  role(guild: string): string | undefined {
    return this.#roles.get(guild) ?? undefined;
  }

  learn({ id, roles }: Pick<RawGuild, 'id' | 'roles'>, me: string): void {
    this.#leaving.delete(id);
    this.#roles.set(id, roles?.find(({ tags }) => tags?.bot_id === me)?.id ?? null);
  }

  leave(guild: string): void {
    this.#leaving.add(guild);
  }

  /** That it was left has been handed over. One that has taken the bot on again since stays. */
  forget(guild: string): void {
    if (this.#leaving.delete(guild)) this.#roles.delete(guild);
  }

  /** Forgets all that are not on a shard. */
  keep(isHere: (guild: string) => boolean): void {
    for (const guild of this.#roles.keys()) if (!isHere(guild)) this.#roles.delete(guild);
  }

  /** Another bot is in others. */
  forgetAll(): void {
    this.#roles.clear();
  }

  /** Those that are not among these. */
  missingIn(guilds: readonly { readonly id: string }[]): string[] {
    const there = new Set(guilds.map(({ id }) => id));
    return [...this.#roles.keys()].filter((id) => !there.has(id));
  }
}

function parsed(text: string): v.InferOutput<typeof kept> {
  try {
    const { success, output } = v.safeParse(kept, JSON.parse(text));
    return success ? output : [];
  } catch {
    return [];
  }
}
