import { describe, expect, it } from 'vitest';
import type { EgressEntry } from '../../core/contract/run.ts';
import { EgressRecord } from './egress-record.ts';

const host = { host: 'models.example', kind: 'model', loopback: false };

describe('EgressRecord', () => {
  it('keeps a request before it leaves, and then only what came since', () => {
    const kept: EgressEntry[][] = [];
    const record = new EgressRecord((added) => kept.push(added));
    const exchange = record.log.begin(host, false);
    expect(kept).toEqual([[{ ...host, requests: 1, bytesSent: 0, bytesReceived: 0, pictures: false }]]);
    exchange.sent(10);
    exchange.received(200);
    exchange.ended();
    record.flush();
    record.log.begin(host, true);
    expect(kept.slice(1)).toEqual([
      [{ ...host, requests: 0, bytesSent: 10, bytesReceived: 200, pictures: false }],
      [{ ...host, requests: 1, bytesSent: 0, bytesReceived: 0, pictures: true }],
    ]);
  });

  it('keeps again what could not be kept', () => {
    let isFull = true;
    const kept: EgressEntry[] = [];
    const record = new EgressRecord((added) => {
      if (isFull) throw new Error('the disk is full');
      kept.push(...added);
    });
    expect(() => record.log.begin(host, false)).toThrow('the disk is full');
    isFull = false;
    record.flush();
    expect(kept).toMatchObject([{ requests: 1 }]);
  });
});
