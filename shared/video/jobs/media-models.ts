/** What a job of the vision service makes: the last segment of the path to which it is submitted. */
export const MEDIA_OPERATIONS = ['image-to-video', 'text-to-image', 'edit', 'text-to-video'] as const;
export type MediaOperation = (typeof MEDIA_OPERATIONS)[number];

/** Whether a job makes a picture; otherwise it makes a video. */
export const makesPicture = (operation: MediaOperation): boolean =>
  operation === 'text-to-image' || operation === 'edit';

/** Whether a job starts from a picture. */
export const needsPicture = (operation: MediaOperation): boolean =>
  operation === 'image-to-video' || operation === 'edit';

/** A model that makes videos or pictures. */
export type MediaModel = {
  /** The path segment that names it. */
  readonly name: string;
  /** A `MediaOperation`; a front does not check it. */
  readonly operation: string;
  /** The field of its `input` for the picture. */
  readonly field: string;
  /** The estimated price of one result in US dollars, as a decimal string; undefined if unknown. */
  readonly price?: string | undefined;
};

/** What a model makes unless configured otherwise, and a job of an earlier version. */
export const DEFAULT_OPERATION = 'image-to-video';

/** The field for the picture, unless configured otherwise. */
export const DEFAULT_PICTURE_FIELD = 'image_url';
const ENTRY = /^(?:([a-z-]+)=)?([\w.-]+)(?::([a-z_]\w*)?(?::(\d{1,6}(?:\.\d{1,6})?))?)?$/iu;

export const toMediaOperation = (name: string): MediaOperation | undefined =>
  MEDIA_OPERATIONS.find((one) => one === name);

/**
 * Parses `[operation=]model[:field[:price]]` entries, separated by commas or blanks: `model-a-video:image_url:0.35,
 * text-to-image=painter::0.04`. The default operation is `image-to-video`, the default field `image_url`. Returns undefined
 * if an entry is malformed. Ignores `operation=/path` entries, which are no models.
 */
export function readMediaModels(text: string): readonly MediaModel[] | undefined {
  const models = text
    .split(/[\s,]+|[^\s,]*\/[^\s,]*/u)
    .filter(Boolean)
    .map((entry) => {
      const [, operation = DEFAULT_OPERATION, name, field = DEFAULT_PICTURE_FIELD, price] =
        ENTRY.exec(entry) ?? [];
      return name === undefined ? undefined : { name, operation, field, price };
    });
  return models.every((model) => model !== undefined) ? models : undefined;
}

/** Returns the models of an operation, in their order: the first is the default. */
export const listModelsFor = (models: readonly MediaModel[], operation: string): readonly MediaModel[] =>
  models.filter((model) => model.operation === operation);
