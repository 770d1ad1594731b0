import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CdrWriter, EncapsulationKind } from '@foxglove/cdr';
import type { LoggedFile } from '../../../src/import/logged-file.ts';
import { openMcap } from '../../../src/import/mcap/open-mcap.ts';
import { makeMcap } from './made-mcap.ts';
import { columnsOf, fileOf } from './read-mcap.ts';

async function opened(
  encoding: string,
  name: string,
  text: string,
  ...messages: Uint8Array[]
): Promise<LoggedFile> {
  const schema = { name, encoding, data: Buffer.from(text) };
  return openMcap(fileOf(await makeMcap([{ topic: 'i', encoding: 'cdr', schema, messages }])));
}

async function valuesOf(log: LoggedFile): Promise<Record<string, unknown[]>> {
  const { 'i times': _times, ...columns } = await columnsOf(log);
  return columns;
}

const omg = (text: string, ...messages: Uint8Array[]) => opened('omgidl', 'M', text, ...messages);
const written = (kind: EncapsulationKind) => new CdrWriter({ kind });
const version1 = EncapsulationKind.CDR_LE;
const version2 = EncapsulationKind.RTPS_CDR2_LE;

/** Files as rosidl generates them of .msg files, one behind the other. */
const separator = '='.repeat(80);
const ros2idl = `${separator}
IDL: p/msg/M
// generated from rosidl_adapter/resource/msg.idl.em
// with input from p/msg/M.msg
// generated code does not contain a copyright notice

#include "p/msg/Empty.idl"
#include "std_msgs/msg/Header.idl"

module p {
  module msg {
    typedef double double__9[9];
    module M_Constants {
      const octet LIMIT = 5;
      const string NAME = "a # b";
    };
    @verbatim (language="comment", text=
      "a comment" "\\n" "with = signs")
    struct M {
      std_msgs::msg::Header header;

      @verbatim (language="comment", text=
        "of it")
      @unit (value="m/s")
      double__9 covariance;

      @default (value=5)
      int64 whole;

      sequence<uint8> image;
      sequence<string<5>, 3> names;
      boolean ok;
      p::msg::Empty empty;
    };
  };
};

${separator}
IDL: p/msg/Empty
module p {
  module msg {
    struct Empty {
      uint8 structure_needs_at_least_one_member;
    };
  };
};

${separator}
IDL: std_msgs/msg/Header
#include "builtin_interfaces/msg/Time.idl"
module std_msgs {
  module msg {
    struct Header {
      builtin_interfaces::msg::Time stamp;
      string frame_id;
    };
  };
};

${separator}
IDL: builtin_interfaces/msg/Time
module builtin_interfaces {
  module msg {
    struct Time {
      int32 sec;
      uint32 nanosec;
    };
  };
};
`;

describe('messages of ROS 2 with definitions in IDL', () => {
  const body = (kind: EncapsulationKind): Uint8Array => {
    const writer = written(kind).int32(1_700_000_000).uint32(7).string('map');
    writer.float64Array(
      Array.from({ length: 9 }, (_, i) => i / 2),
      false,
    );
    return writer
      .int64(-9007199254740993n)
      .uint8Array(Array(20).fill(1), true)
      .uint32(2)
      .string('a')
      .string('b')
      .uint8(1)
      .uint8(0).data;
  };

  for (const [end, text] of [
    ['LF', ros2idl],
    ['CR LF', ros2idl.replaceAll('\n', '\r\n')],
  ] as const) {
    it(`are read: lines end in ${end}`, async () => {
      const log = await opened('ros2idl', 'p/msg/M', text, body(version1), body(EncapsulationKind.CDR_BE));
      assert.deepEqual(await valuesOf(log), {
        'i.header.stamp.sec': [1_700_000_000, 1_700_000_000],
        'i.header.stamp.nanosec': [7, 7],
        'i.header.frame_id text': ['map', 'map'],
        ...Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`i.covariance[${i}]`, [i / 2, i / 2]])),
        'i.whole text': ['-9007199254740993', '-9007199254740993'],
        'i.names[0] text': ['a', 'a'],
        'i.names[1] text': ['b', 'b'],
        'i.ok': [1, 1],
      });
      assert.deepEqual(log.leftOut, ['i.image (an array of more than 16 elements)']);
    });
  }

  it('are refused where the definition is not understood, or has what is not read', async () => {
    const of = (member: string) =>
      opened(
        'ros2idl',
        'p/msg/M',
        `${separator}\nIDL: p/msg/M\nmodule p { module msg { struct M { ${member} }; }; };`,
        Uint8Array.of(0, 1, 0, 0),
      );
    await assert.rejects(of('wstring w;'), /no message is read of i \(cdr ros2idl: its schema has a wstring/);
    await assert.rejects(of('long double d;'), /its schema is not understood/);
    await assert.rejects(of('nonsense;'), /its schema is not understood: Syntax error/);
    await assert.rejects(
      opened('ros2idl', 'p/msg/N', 'struct M { long a; };', Uint8Array.of(0, 1, 0, 0)),
      /does not say what p\/msg\/N is/,
    );
    await assert.rejects(
      omg('struct M { @bit_bound(8) long a; };', Uint8Array.of(0, 1, 0, 0)),
      /its schema has @bit_bound, which is not read/,
    );
  });
});

describe('messages of DDS', () => {
  it('may have enumerations, unions, and arrays of arrays', async () => {
    const text = `module a { enum Mode { OFF, @value(5) ON }; union U switch (Mode) { case OFF: long l; case ON: double d; default: string s; }; };
      struct M { a::Mode mode; a::U one; a::U two; a::U three; float m[2][3]; };`;
    const writer = written(version1)
      .uint32(5)
      .uint32(0)
      .int32(-7)
      .uint32(5)
      .float64(2.5)
      .uint32(9)
      .string('x');
    writer.float32Array([1, 2, 3, 4, 5, 6], false);
    const log = await omg(text, writer.data);
    assert.deepEqual(await valuesOf(log), {
      'i.mode': [5],
      'i.one.discriminator': [0],
      'i.one.l': [-7],
      'i.two.discriminator': [5],
      'i.two.d': [2.5],
      'i.three.discriminator': [9],
      'i.three.s text': ['x'],
      ...Object.fromEntries(
        [0, 1].flatMap((i) => [0, 1, 2].map((j) => [`i.m[${i}][${j}]`, [1 + 3 * i + j]])),
      ),
    });
    assert.deepEqual(log.tables[0]!.channels[0]!.valueNames, { 0: 'OFF', 5: 'ON' });
  });

  const optional = '@final struct M { octet a; @optional long b; @optional double c; octet d; };';

  it('may lack members that are optional, in version 1', async () => {
    const there = written(version1)
      .uint8(1)
      .emHeader(false, 1, 4)
      .int32(-2)
      .emHeader(false, 2, 8)
      .float64(0.5)
      .uint8(3);
    const absent = written(version1).uint8(1).emHeader(false, 1, 0).emHeader(false, 2, 0).uint8(4);
    assert.deepEqual(await valuesOf(await omg(optional, there.data, absent.data)), {
      'i.a': [1, 1],
      'i.b': [-2, null],
      'i.c': [0.5, null],
      'i.d': [3, 4],
    });
  });

  it('may lack members that are optional, in version 2', async () => {
    const there = written(version2)
      .uint8(1)
      .presentFlag(true)
      .int32(-2)
      .presentFlag(true)
      .float64(0.5)
      .uint8(3);
    const absent = written(version2).uint8(1).presentFlag(false).presentFlag(false).uint8(4);
    assert.deepEqual(await valuesOf(await omg(optional, there.data, absent.data)), {
      'i.a': [1, 1],
      'i.b': [-2, null],
      'i.c': [0.5, null],
      'i.d': [3, 4],
    });
  });

  const mutable = '@mutable struct M { @id(7) long a; double b; @id(20) string c; sequence<long> d; };';

  it('may be mutable: members in any order, some that the schema does not have, in version 1', async () => {
    const writer = written(EncapsulationKind.PL_CDR_LE);
    writer
      .emHeader(false, 8, 8)
      .float64(1.5)
      .emHeader(false, 99, 4)
      .uint32(1)
      .emHeader(false, 7, 4)
      .int32(-5);
    writer.sentinelHeader();
    assert.deepEqual(await valuesOf(await omg(mutable, writer.data)), { 'i.b': [1.5], 'i.a': [-5] });
  });

  it('may be mutable in version 2, where lengths may be shared with members', async () => {
    const writer = written(EncapsulationKind.RTPS_PL_CDR2_LE).dHeader(60);
    writer
      .emHeader(false, 8, 8)
      .float64(1.5)
      .emHeader(false, 99, 4)
      .uint32(1)
      .emHeader(false, 7, 4)
      .int32(-5);
    // Code 5: the length of the text, code 6: the number of elements.
    writer.emHeader(false, 20, 4, 5).string('abc', false).emHeader(false, 21, 8, 6).int32Array([1, 2], false);
    const bytes = Uint8Array.from(writer.data);
    new DataView(bytes.buffer).setUint32(4, bytes.length - 8, true);
    assert.deepEqual(await valuesOf(await omg(mutable, bytes)), {
      'i.b': [1.5],
      'i.a': [-5],
      'i.c text': ['abc'],
      'i.d[0]': [1],
      'i.d[1]': [2],
    });
  });

  const appendable = '@appendable struct M { long a; double b; long c; };';

  it('may be appendable: of a writer that knows fewer members, or more', async () => {
    const older = written(EncapsulationKind.RTPS_DELIMITED_CDR2_LE).dHeader(12).int32(1).float64(2.5);
    const newer = written(EncapsulationKind.RTPS_DELIMITED_CDR2_LE)
      .dHeader(20)
      .int32(1)
      .float64(2.5)
      .int32(3)
      .int32(4);
    const log = await omg(appendable, older.data, newer.data);
    assert.deepEqual(await valuesOf(log), { 'i.a': [1, 1], 'i.b': [2.5, 2.5], 'i.c': [null, 3] });
    assert.match(log.notes!.join('\n'), /1 of 2 messages of i go on behind what their schema says/);
  });

  it('have the bytes of arrays of structures before them in version 2; some writers leave them out', async () => {
    const text = 'struct P { long x; }; struct M { sequence<P> ps; string ss[2]; sequence<long> ns; };';
    const asSaid = written(version2)
      .dHeader(12)
      .uint32(2)
      .int32(1)
      .int32(2)
      .dHeader(14)
      .string('a')
      .string('b')
      .int32Array([3], true);
    const without = written(version2)
      .uint32(2)
      .int32(1)
      .int32(2)
      .string('a')
      .string('b')
      .int32Array([3], true);
    for (const { data } of [asSaid, without]) {
      const columns = await valuesOf(await omg(text, data));
      assert.deepEqual(columns, {
        'i.ps[0].x': [1],
        'i.ps[1].x': [2],
        'i.ss[0] text': ['a'],
        'i.ss[1] text': ['b'],
        'i.ns[0]': [3],
      });
    }
  });
});
