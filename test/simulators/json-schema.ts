import * as v from 'valibot';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** Returns whether `JSON.parse` could have returned a value. */
function isJson(value: unknown): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  return Object.values(value).every(isJson);
}

/** The schema of a JSON object. */
export const jsonObject = v.pipe(
  v.custom<object>((value) => !Array.isArray(value), 'an object, not a list'),
  v.record(v.string(), v.custom<Json>(isJson, 'not JSON')),
);
