import { InvalidArgumentError } from 'commander';
import { parseDuration } from './format.ts';

/** Parses the value of an option such as `--since 3d` to ms. */
export function parseTimeOption(input: string): number {
  const ms = parseDuration(input);
  if (ms === undefined)
    throw new InvalidArgumentError('A time is a number with s, m, h or d, such as 30m or 3d.');
  return ms;
}
