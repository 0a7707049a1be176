/** A configured video model. */
export type VideoModel = {
  /** The path segment that names it. */
  readonly name: string;
  /** The field of its `input` for the picture. */
  readonly field: string;
  /** The estimated price of one video in US dollars, as a decimal string; undefined if not configured. */
  readonly price?: string | undefined;
};

const FIELD = 'image_url';
const ENTRY = /^([\w.-]+)(?::([A-Za-z_]\w*)?(?::(\d{1,6}(?:\.\d{1,6})?))?)?$/u;

/**
 * Parses `model[:field[:price]]` entries, separated by commas or blanks: `model-a-video:image_url:0.35`. The default field
 * is `image_url`. Returns undefined if an entry is malformed.
 */
export function readVideoModels(text: string): readonly VideoModel[] | undefined {
  const models = text
    .split(/[\s,]+/u)
    .filter(Boolean)
    .map((entry) => {
      const [, name, field = FIELD, price] = ENTRY.exec(entry) ?? [];
      return name === undefined ? undefined : { name, field, price };
    });
  return models.every((model) => model !== undefined) ? models : undefined;
}
