import { type AwsCall, noPhases, TaskSegments } from '../../../shared/aws/index.ts';
import {
  createCallRecorder,
  type Log,
  type ModelsConfig,
  type PlatformsConfig,
  runInTrace,
  stackName,
  systemTime,
} from '../../../shared/runtime/index.ts';

type Urls = Pick<PlatformsConfig, 'slackApiUrl' | 'discordApiUrl'> &
  Partial<Pick<ModelsConfig, 'upstreamBaseUrl' | 'upstreamVisionUrl'>>;
type Config = Urls & { readonly stage: string; readonly tracing: 'off' | 'on' };

/** Logs the requests to platforms and models that each task sent. */
export function createTaskCallRecorder(
  { slackApiUrl, discordApiUrl, upstreamBaseUrl, upstreamVisionUrl }: Urls,
  log: Log,
): ReturnType<typeof createCallRecorder> {
  const models = [upstreamBaseUrl, upstreamVisionUrl].filter((url) => url !== undefined);
  return createCallRecorder({ slack: [slackApiUrl], discord: [discordApiUrl], models }, log, systemTime.now);
}

/** Runs tasks in their traces, logs their requests, and sends segments to X-Ray if tracing is on. */
export function createSegments(
  of: string,
  config: Config,
  aws: AwsCall,
  log: Log,
): Pick<TaskSegments, 'record' | 'note'> {
  const recordCalls = createTaskCallRecorder(config, log);
  const segments: Pick<TaskSegments, 'record' | 'note'> =
    config.tracing === 'on'
      ? new TaskSegments(`${stackName(config.stage)}-${of}`, aws, systemTime.now)
      : { record: runInTrace, note: noPhases };
  return {
    record: (header, run) => segments.record(header, () => recordCalls(run)),
    note: segments.note,
  };
}
