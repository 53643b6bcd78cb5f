import Tango

print("Tango")
