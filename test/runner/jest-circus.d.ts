/** What jest itself runs a suite with. The package says nothing about its types. */
declare module 'jest-circus/runner' {
  import type { JestEnvironment } from '@jest/environment';
  import type { TestFileEvent, TestResult } from '@jest/test-result';
  import type { Config } from '@jest/types';
  import type * as JestRuntime from 'jest-runtime';

  const circus: {
    default(
      globalConfig: Config.GlobalConfig,
      config: Config.ProjectConfig,
      environment: JestEnvironment,
      runtime: JestRuntime.default,
      testPath: string,
      sendMessageToJest?: TestFileEvent,
    ): Promise<TestResult>;
  };
  export = circus;
}
