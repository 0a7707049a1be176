import { type IntegrationPlace, isPlatformName, type PlatformName, workspaceId } from '../domain/index.ts';

/** The key of an integration, as it is sent: it names the integration, and its last part is the secret. */
export type ApiKey = { readonly place: IntegrationPlace; readonly id: string; readonly key: string };

/** Scanners for leaked secrets find keys by their beginning. */
const PREFIX = 'parley';
const PLATFORM_LETTERS: Readonly<Record<PlatformName, string>> = { slack: 's', discord: 'd' };
/** The length is checked before anything else is. */
const FORM = /^parley_([sd])_([A-Za-z0-9]{1,32})_([0-9a-f]{16})_[0-9a-f]{48}$/u;

/** Makes a key of an integration. `secret`: 24 random bytes. */
export const formatIntegrationKey = (
  { platform, workspace }: IntegrationPlace,
  id: string,
  secret: Uint8Array,
): string =>
  [PREFIX, PLATFORM_LETTERS[platform], workspace, id, Buffer.from(secret).toString('hex')].join('_');

/** Reads which integration a key names, without checking the secret; undefined for anything else. */
export function parseIntegrationKey(key: string): ApiKey | undefined {
  const [, letter, workspace = '', id = ''] = FORM.exec(key) ?? [];
  const platform = Object.keys(PLATFORM_LETTERS).find(
    (name) => isPlatformName(name) && PLATFORM_LETTERS[name] === letter,
  );
  if (!isPlatformName(platform)) return undefined;
  return { place: { platform, workspace: workspaceId(workspace) }, id, key };
}
