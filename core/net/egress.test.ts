import { describe, expect, it } from 'vitest';
import { EgressLog } from './egress.ts';

const model = { host: 'model.example', kind: 'model', loopback: false };

describe('EgressLog', () => {
  it('sums up by host, kind and proxy; a picture once sent stays told', () => {
    const log = new EgressLog();
    log.begin(model, true).sent(10);
    log.begin(model, false).received(3);
    log.begin({ ...model, kind: 'update' }, false);
    log.begin({ ...model, proxy: 'proxy.example:3128' }, false);
    const none = { requests: 1, bytesSent: 0, bytesReceived: 0, pictures: false };
    expect(log.entries()).toEqual([
      { ...model, requests: 2, bytesSent: 10, bytesReceived: 3, pictures: true },
      { ...model, ...none, kind: 'update' },
      { ...model, ...none, proxy: 'proxy.example:3128' },
    ]);
  });

  it('goes on with what an earlier process recorded, and leaves that as it is', () => {
    const earlier = [{ ...model, requests: 2, bytesSent: 10, bytesReceived: 3, pictures: true }];
    const log = new EgressLog(() => {}, earlier);
    log.begin(model, false).sent(1);
    expect(log.entries()).toEqual([{ ...model, requests: 3, bytesSent: 11, bytesReceived: 3, pictures: true }]);
    expect(earlier[0]?.requests).toBe(2);
  });
});
