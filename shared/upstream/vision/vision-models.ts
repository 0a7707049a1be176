import { asArray, asNonEmptyString, asObject, isObject } from '../http/json.ts';

/** A model that the vision service lists. The format is not documented: all fields but the id may be missing. */
export type VisionModel = {
  readonly id: string;
  /** What it does, such as `image-to-video`, as the service sends it. */
  readonly operation?: string | undefined;
  /** The price of one request in US dollars, as a decimal string. */
  readonly price?: string | undefined;
};

/** Parses the list: a bare array, or one under a common field name. Skips items without an id. */
export function parseVisionModels(value: unknown): VisionModel[] {
  const { models, data, items } = asObject(value) ?? {};
  return asArray(Array.isArray(value) ? value : (models ?? data ?? items)).flatMap((item) => {
    if (!isObject(item)) return [];
    const id = asNonEmptyString(item['id']) ?? asNonEmptyString(item['name']);
    if (id === undefined) return [];
    const operation = asNonEmptyString(item['type']) ?? asNonEmptyString(item['operation']);
    const price = asNonEmptyString(asObject(item['pricing'])?.['request']);
    return [{ id, operation, price: price !== undefined && DOLLARS.test(price) ? price : undefined }];
  });
}

const DOLLARS = /^\d{1,6}(?:\.\d{1,6})?$/u;
