"""What is in the program, as CycloneDX 1.6 in JSON. Run by the Python that has CycloneDX's library,
on a description of the parts (scripts/dist.py); fails where the document breaks the schema. Nothing
in it depends on when and in which folder it is made."""

import datetime
import json
import sys
import uuid

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

LICENCES = LicenseFactory()


def component(part):
    purl = PackageURL("cargo", None, part["name"], part["version"]) if part["crate"] else None
    home = part["source"]
    references = home and [ExternalReference(type=ExternalReferenceType.WEBSITE, url=XsUri(home))]
    return Component(
        name=part["name"], version=part["version"], type=ComponentType(part["type"]), purl=purl,
        bom_ref=part["ref"],
        licenses=[LICENCES.make_from_string(part["licence"].replace("/", " OR "))],
        external_references=references or [])


def main():
    described = json.load(sys.stdin)
    bom = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, described["identity"]))
    bom.metadata.timestamp = datetime.datetime.fromtimestamp(described["epoch"], datetime.UTC)
    made = {part["ref"]: component(part) for part in described["parts"]}
    bom.metadata.component = made[described["parts"][0]["ref"]]
    for part in described["parts"][1:]:
        bom.components.add(made[part["ref"]])
    for part in described["parts"]:
        bom.register_dependency(made[part["ref"]], [made[ref] for ref in part["needs"]])
    text = JsonV1Dot6(bom).output_as_string(indent=2)
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if wrong:
        sys.exit(f"the bill of materials breaks CycloneDX's schema: {wrong}")
    print(text)


if __name__ == "__main__":
    main()
