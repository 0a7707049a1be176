import { TtlCache } from '../../../utils/index.ts';
import type { DiscordDeps } from '../deps.ts';
import { readId, readList, readNumber, readString } from '../api/json-path.ts';

const CACHE_TTL_MS = 60 * 60_000;
const SLASH_COMMAND = 1;

/**
 * Looks up the registered commands as clickable mentions, which clients show in the language of the reader. Cached for an hour. Empty if
 * Discord does not respond. Never rejects. See docs:reference#message-formatting.
 */
export function createCommandMentionFinder({
  call,
  applicationId,
  time,
}: Pick<DiscordDeps, 'call' | 'applicationId' | 'time'>): () => Promise<ReadonlyMap<string, string>> {
  const readCommands = async (path: string): Promise<ReadonlyMap<string, string>> => {
    const response = await call({ method: 'GET', path });
    return new Map(
      readList({ found: response }, 'found').flatMap((one) => {
        const [name, id] = [readString(one, 'name'), readId(one, 'id')];
        return name && id && readNumber(one, 'type') === SLASH_COMMAND ? [[name, `</${name}:${id}>`]] : [];
      }),
    );
  };
  const mentions = new TtlCache<ReadonlyMap<string, string>>({ now: time.now, ttlMs: CACHE_TTL_MS });
  return () => mentions.get(`/applications/${applicationId}/commands`, readCommands).catch(() => new Map());
}
