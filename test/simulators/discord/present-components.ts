import { addressOf } from './cdn.ts';
import { isJson, type Json, listOf, numberOf, stringOf } from './json.ts';
import type { FileRecord } from './state.ts';
import type { SimulatorContext } from './context.ts';

const FILE = 13;

/**
 * The defaults that Discord adds to a component type: docs:components/reference, and the response schemas of its
 * document.
 */
const DEFAULTS: ReadonlyMap<number, Json> = new Map([
  ...[3, 5, 6, 7, 8].map((select): [number, Json] => [select, { min_values: 1, max_values: 1 }]),
  [11, { description: null, spoiler: false }],
  [FILE, { spoiler: false }],
  [14, { divider: true, spacing: 1 }],
  [17, { accent_color: null, spoiler: false }],
]);

/** A component as Discord returns it: with its defaults, and `attachment://` replaced by a URL. */
export function presentComponent(
  context: SimulatorContext,
  component: Json,
  files: readonly FileRecord[],
): Json {
  const type = numberOf(component['type']);
  const presented: Json = { ...DEFAULTS.get(type), ...component };
  const file = type === FILE && isJson(presented['file']) ? fileOf(presented['file'], files) : undefined;
  if (type === FILE) Object.assign(presented, { name: file?.filename ?? null, size: file?.size ?? null });
  for (const key of ['media', 'file']) {
    const media = presented[key];
    if (isJson(media)) presented[key] = presentMedia(context, media, files);
  }
  const { components, items, accessory } = presented;
  if (Array.isArray(components))
    presented['components'] = listOf(components).map((one) => presentComponent(context, one, files));
  if (Array.isArray(items))
    presented['items'] = listOf(items).map((one) => ({
      description: null,
      spoiler: false,
      ...presentComponent(context, one, files),
    }));
  if (isJson(accessory)) presented['accessory'] = presentComponent(context, accessory, files);
  return presented;
}

const fileOf = (media: Json, files: readonly FileRecord[]): FileRecord | undefined => {
  const name = /^attachment:\/\/(.+)$/.exec(stringOf(media['url']))?.[1];
  return files.find(({ filename }) => filename === name);
};

function presentMedia(context: SimulatorContext, media: Json, files: readonly FileRecord[]): Json {
  const file = fileOf(media, files);
  if (!file) return media;
  const url = addressOf(context, file);
  return {
    ...media,
    id: file.id,
    url,
    proxy_url: url,
    content_type: file.contentType,
    attachment_id: file.id,
  };
}
