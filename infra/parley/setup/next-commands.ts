import { fromProject, inProject, quote } from '../project.ts';

/** Where the set-up has put things. */
export type Places = { readonly envFile: string; readonly data: string; readonly port: number };

const DEFAULT_PORT = 3000;

/** Returns the commands that start and check what was set up, with the options that are not the default ones. */
export function buildNextCommands({ envFile, data, port }: Places): {
  readonly start: string;
  readonly doctor: string;
} {
  const isOther = { env: envFile !== inProject('.env'), data: data !== inProject('.parley') };
  const start = [
    ...(isOther.env ? [`--env ${fromProject(envFile)}`] : []),
    ...(isOther.data ? [`--data ${fromProject(data)}`] : []),
    ...(port === DEFAULT_PORT ? [] : [`--port ${port}`]),
  ];
  const doctor = [
    ...(isOther.env ? [`--env ${quote(envFile)}`] : []),
    ...(isOther.data ? [`--data ${quote(data)}`] : []),
  ];
  return {
    start: ['npm start', ...(start.length > 0 ? ['--', ...start] : [])].join(' '),
    doctor: ['npx parley doctor', ...doctor].join(' '),
  };
}
