"""Reads a program's first window through pyatspi and prints the time and all that was read, as JSON."""

import json
import sys
import time

import pyatspi


def read(node):
    interfaces = pyatspi.utils.listInterfaces(node)
    component = node.queryComponent() if 'Component' in interfaces else None
    extents = component.getExtents(pyatspi.DESKTOP_COORDS) if component else None
    return {
        'role': int(node.getRole()),
        'name': node.name,
        'id': node.get_accessible_id(),
        'states': sorted(int(state) for state in node.getState().getStates()),
        'interfaces': sorted(interfaces),
        'extents': [extents.x, extents.y, extents.width, extents.height] if extents else None,
        'relations': [
            [int(relation.getRelationType()), [relation.getTarget(i).path for i in range(relation.getNTargets())]]
            for relation in node.getRelationSet()
        ],
        'text': node.queryText().getText(0, -1) if 'Text' in interfaces else None,
        'value': node.queryValue().currentValue if 'Value' in interfaces else None,
        'children': [read(node.getChildAtIndex(index)) for index in range(node.childCount)],
    }


def window_of(pid):
    for program in pyatspi.Registry.getDesktop(0):
        if program.get_process_id() == pid:
            return program.getChildAtIndex(0)
    sys.exit('the program is not on the accessibility bus')


window = window_of(int(sys.argv[1]))
begun = time.perf_counter()
tree = read(window)
print(json.dumps({'ms': (time.perf_counter() - begun) * 1000, 'tree': tree}))
