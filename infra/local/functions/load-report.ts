import type { FunctionLoadReport } from './functions.ts';
import type { FunctionLoadError } from './thread.ts';
import { StartupError } from '../startup-error.ts';

/** Formats for people that a function could not be loaded, or that it was loaded after that. */
export const formatLoadReport = (name: string, report: FunctionLoadReport): string =>
  report.kind === 'loaded'
    ? `${name} runs now.`
    : `${name} could not be loaded: ${report.reason}. It is not started for ${report.pauseMs / 1_000} s; until it runs, its requests get 503.`;

/** The error with which a start ends: which function, why, and what to do. */
export const toStartupError = (name: string, { reason }: FunctionLoadError, logFile: string): StartupError =>
  new StartupError(
    `${name} cannot be loaded, so Parley stops: ${reason}.\n` +
      `What it wrote is in ${logFile}. If you changed its code or an extension, correct that; otherwise run npm ci, and see that memory is free. Then start again.`,
  );
