import type * as v from 'valibot';
import { jsonObject } from '../json-schema.ts';

export const jsonShape = jsonObject;

/** A JSON object. */
export type Json = v.InferOutput<typeof jsonShape>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value if it is a string; otherwise empty. */
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The value if it is a number; otherwise 0. */
export const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** The objects of an array; none for other values. */
export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : []);

/** Parses JSON; undefined if it is malformed. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
