import * as v from 'valibot';
import type { RawGuild } from './payload-schemas.ts';

const storedGuilds = v.array(v.tuple([v.string(), v.nullable(v.string())]));

/**
 * The guilds of the bot, with the role that Discord created for it in each. Stored, because a guild that a new session does not list has
 * removed the bot while the relay was not connected.
 */
export class Guilds {
  readonly #roles = new Map<string, string | null>();
  /** Guilds that the bot has left. They stay stored until that is handled, so that a crash in between does not lose it. */
  readonly #leaving = new Set<string>();

  /** Adds the guilds of a stored text. Ignores an invalid text. */
  addStored(text: string): void {
    for (const [guild, role] of parseStored(text)) this.#roles.set(guild, role);
  }

  serialize(): string {
    return JSON.stringify([...this.#roles]);
  }

  /** The bot's role there, if it has one. */
  role(guild: string): string | undefined {
    return this.#roles.get(guild) ?? undefined;
  }

  add({ id, roles }: Pick<RawGuild, 'id' | 'roles'>, me: string): void {
    this.#leaving.delete(id);
    this.#roles.set(id, roles?.find(({ tags }) => tags?.bot_id === me)?.id ?? null);
  }

  markLeft(guild: string): void {
    this.#leaving.add(guild);
  }

  /** Removes a guild once its removal is handled, unless the bot was added again meanwhile. */
  removeLeft(guild: string): void {
    if (this.#leaving.delete(guild)) this.#roles.delete(guild);
  }

  /** Keeps only the guilds of a shard. */
  retain(isHere: (guild: string) => boolean): void {
    for (const guild of this.#roles.keys()) if (!isHere(guild)) this.#roles.delete(guild);
  }

  /** Removes all guilds, since the bot is a different one. */
  clear(): void {
    this.#roles.clear();
  }

  /** The known guilds that are not in this list. */
  findMissing(guilds: readonly { readonly id: string }[]): string[] {
    const there = new Set(guilds.map(({ id }) => id));
    return [...this.#roles.keys()].filter((id) => !there.has(id));
  }
}

function parseStored(text: string): v.InferOutput<typeof storedGuilds> {
  try {
    const { success, output } = v.safeParse(storedGuilds, JSON.parse(text));
    return success ? output : [];
  } catch {
    return [];
  }
}
