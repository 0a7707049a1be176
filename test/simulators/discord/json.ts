import type * as v from 'valibot';
import { jsonObject } from '../json-schema.ts';

export const jsonShape = jsonObject;

/** A JSON object. */
export type Json = v.InferOutput<typeof jsonShape>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A JSON value that is a text; empty for any other. */
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A JSON value that is a number; 0 for any other. */
export const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** The objects of a list; none for anything else. */
export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : []);

/** What a text means as JSON; undefined if it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
