import { parseArgs } from 'node:util';
import { StartupError } from './startup-error.ts';

/** What `npm start` was told. */
export type StartArguments = {
  /** Undefined: the first free one. */
  readonly port: number | undefined;
  readonly data: string;
  readonly host: string;
  /** The file with the settings. Undefined: `.env`, if there is one. */
  readonly env: string | undefined;
  readonly verbose: boolean;
  readonly help: boolean;
};

/** Reads the arguments of `npm start`. Throws StartupError if they are wrong. */
export function readArguments(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): StartArguments {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        data: { type: 'string', default: '.parley' },
        host: { type: 'string', default: '127.0.0.1' },
        env: { type: 'string' },
        verbose: { type: 'boolean', default: environment['LOG'] === 'verbose' },
        help: { type: 'boolean', default: false, short: 'h' },
      },
    });
    const { port, env, data, host } = values;
    if (port !== undefined && !(/^\d+$/.test(port) && Number(port) <= 65_535))
      throw new Error(`--port takes a number from 0 to 65535, not ${port}`);
    // As of a variable that is not set: an empty folder would be the one of the project.
    for (const [name, value] of Object.entries({ data, host, env }))
      if (value === '') throw new Error(`--${name} has no value`);
    return { ...values, env, port: port === undefined ? undefined : Number(port) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new StartupError(`${message}\n"npm start -- --help" lists the options.`);
  }
}
